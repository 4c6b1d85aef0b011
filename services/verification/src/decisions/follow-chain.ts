import { type Hex, zeroCid } from '@indelible/identifiers';
import type { BlockAppended, BlocksFinalized, BlocksReverted, DataOf, Receipt } from '@indelible/messages';

/** How far one chain is projected. `open` is a block of which the parts up to `part` are in, and not yet all. */
export type ChainCursor = {
  readonly number: number;
  readonly hash: Hex;
  readonly open: { readonly number: number; readonly hash: Hex; readonly part: number } | null;
  readonly finalized: number | null;
};

export type ChainMessage =
  | { readonly type: 'BlockAppended'; readonly data: DataOf<typeof BlockAppended> }
  | { readonly type: 'BlocksReverted'; readonly data: DataOf<typeof BlocksReverted> }
  | { readonly type: 'BlocksFinalized'; readonly data: DataOf<typeof BlocksFinalized> };

export type ChainStep =
  | { readonly kind: 'insert'; readonly commitments: Receipt[] }
  | { readonly kind: 'revert'; readonly chainId: number; readonly above: number };

/**
 * The message does not follow what is projected: something is missing or out of order. Retryable, so that nothing is
 * ever skipped (I8): the consumer stands, loudly, until the cause is mended or the projection is rebuilt.
 */
export class ChainGapError extends Error {
  readonly retryable = true;
  override readonly name = 'ChainGapError';
}

/**
 * Folds messages, in order, into the steps on the read model and the cursors after them. Inserts that follow each
 * other are one step; a revert is a step of its own between them.
 * @param cursors of the chains before the messages, by chain id
 * @throws ChainGapError when a message does not follow its chain's cursor
 */
export function followChains(
  cursors: ReadonlyMap<number, ChainCursor>,
  messages: readonly ChainMessage[],
): { readonly cursors: ReadonlyMap<number, ChainCursor>; readonly steps: readonly ChainStep[] } {
  const changed = new Map<number, ChainCursor>();
  const steps: ChainStep[] = [];
  for (const message of messages) {
    const { chainId } = message.data;
    const cursor = changed.get(chainId) ?? cursors.get(chainId);
    switch (message.type) {
      case 'BlockAppended': {
        changed.set(chainId, append(cursor, message.data));
        const last = steps.at(-1);
        const commitments = commitmentsOf(message.data);
        if (last?.kind === 'insert') for (const commitment of commitments) last.commitments.push(commitment);
        else if (commitments.length > 0) steps.push({ kind: 'insert', commitments });
        break;
      }
      case 'BlocksReverted':
        changed.set(chainId, revert(cursor, message.data));
        steps.push({ kind: 'revert', chainId, above: message.data.ancestor.number });
        break;
      case 'BlocksFinalized':
        if (cursor !== undefined)
          changed.set(chainId, { ...cursor, finalized: Math.max(cursor.finalized ?? 0, message.data.number) });
        break;
      default:
        message satisfies never;
    }
  }
  return { cursors: changed, steps };
}

function append(cursor: ChainCursor | undefined, block: DataOf<typeof BlockAppended>): ChainCursor {
  const open = cursor?.open ?? null;
  if (block.part > block.parts) throw gap(block, 'has a part beyond its last');
  if (open !== null) {
    if (open.number !== block.number || open.hash !== block.hash || open.part + 1 !== block.part)
      throw gap(block, `does not follow part ${open.part} of block ${open.number}`);
  } else {
    if (block.part !== 1) throw gap(block, 'begins with a later part');
    // The first block ever seen is where the indexer began: nothing can be asked of it.
    if (cursor !== undefined && (block.number !== cursor.number + 1 || block.parentHash !== cursor.hash))
      throw gap(block, `does not follow block ${cursor.number}`);
  }
  const finalized = cursor?.finalized ?? null;
  if (block.part === block.parts) return { number: block.number, hash: block.hash, open: null, finalized };
  return {
    // Before its first block is whole, a chain stands at that block's parent.
    number: cursor?.number ?? block.number - 1,
    hash: cursor?.hash ?? block.parentHash,
    open: { number: block.number, hash: block.hash, part: block.part },
    finalized,
  };
}

function revert(cursor: ChainCursor | undefined, { ancestor, chainId }: DataOf<typeof BlocksReverted>): ChainCursor {
  const beyond = cursor === undefined || ancestor.number > cursor.number;
  if (beyond || (ancestor.number === cursor.number && ancestor.hash !== cursor.hash))
    throw new ChainGapError(
      `a revert of chain ${chainId} to block ${ancestor.number} does not fit block ${cursor?.number ?? '(none)'}`,
    );
  return {
    number: ancestor.number,
    hash: ancestor.hash,
    open: null,
    finalized: cursor.finalized === null ? null : Math.min(cursor.finalized, ancestor.number),
  };
}

/** Only objects are commitments; the zero set CID stands for an object without a set. */
function commitmentsOf(block: DataOf<typeof BlockAppended>): Receipt[] {
  const commitments: Receipt[] = [];
  for (const log of block.logs) {
    if (log.kind !== 'object' || log.objectCid === undefined) continue;
    commitments.push({
      transactionHash: log.transactionHash,
      logIndex: log.logIndex,
      blockNumber: block.number,
      blockHash: block.hash,
      blockTime: block.time,
      chainId: block.chainId,
      account: log.user,
      setCid: log.setCid ?? zeroCid,
      objectCid: log.objectCid,
    });
  }
  return commitments;
}

const gap = (block: DataOf<typeof BlockAppended>, fault: string): ChainGapError =>
  new ChainGapError(`block ${block.number} (part ${block.part} of ${block.parts}) of chain ${block.chainId} ${fault}`);
