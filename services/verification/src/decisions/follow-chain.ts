import { type Hex, zeroCid } from '@indelible/identifiers';
import {
  type BlockAppended,
  type BlocksFinalized,
  type BlocksReverted,
  type ChainPosition,
  type ChainWay,
  type DataOf,
  type Receipt,
  rewound,
  wayOfBlock,
  wayOfMark,
  wayOfRevert,
} from '@indelible/messages';

/** How far one chain is projected. `open` is a block of which only the parts up to `part` are applied. */
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

/** The result of messages. `missing`: the first missing block of each chain that now has a gap. */
export type ChainsFollowed = {
  readonly cursors: ReadonlyMap<number, ChainCursor>;
  readonly steps: readonly ChainStep[];
  readonly missing: ReadonlyMap<number, number>;
};

/**
 * Folds messages, in order, into the steps on the read model and the resulting cursors. Consecutive inserts are one
 * step; a revert is its own step. Nothing is ever skipped (I8): what does not follow the cursor is dropped and
 * published again (see follow.ts of @indelible/messages).
 * @param cursors of the chains before the messages, by chain id
 */
export function followChains(
  cursors: ReadonlyMap<number, ChainCursor>,
  messages: readonly ChainMessage[],
): ChainsFollowed {
  const changed = new Map<number, ChainCursor>();
  const missing = new Map<number, number>();
  const steps: ChainStep[] = [];
  const revertAbove = (chainId: number, above: number): void => {
    steps.push({ kind: 'revert', chainId, above });
  };
  for (const message of messages) {
    const { chainId } = message.data;
    const cursor = changed.get(chainId) ?? cursors.get(chainId);
    const position = cursor && positionOf(cursor);
    const way = wayOf(position, message);
    if (way.kind === 'gap') missing.set(chainId, way.from);
    else if (way.kind === 'fork' && cursor !== undefined && position !== undefined) {
      const { number, hash } = rewound(position, cursor.finalized);
      changed.set(chainId, goneBack(cursor, { number, hash }));
      revertAbove(chainId, number);
      missing.set(chainId, number + 1);
    } else if (way.kind === 'follows') {
      missing.delete(chainId);
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
          if (cursor === undefined) break;
          changed.set(chainId, goneBack(cursor, message.data.ancestor));
          revertAbove(chainId, message.data.ancestor.number);
          break;
        case 'BlocksFinalized':
          if (cursor !== undefined)
            changed.set(chainId, { ...cursor, finalized: Math.max(cursor.finalized ?? 0, message.data.number) });
          break;
        default:
          message satisfies never;
      }
    }
  }
  return { cursors: changed, steps, missing };
}

function wayOf(position: ChainPosition | undefined, message: ChainMessage): ChainWay {
  switch (message.type) {
    case 'BlockAppended':
      return wayOfBlock(position, message.data);
    case 'BlocksReverted':
      return wayOfRevert(position, message.data);
    case 'BlocksFinalized':
      return wayOfMark(position, message.data);
  }
}

const positionOf = ({ number, hash, open }: ChainCursor): ChainPosition =>
  open === null ? { number, hash, part: 1, complete: true } : { ...open, complete: false };

function append(cursor: ChainCursor | undefined, block: DataOf<typeof BlockAppended>): ChainCursor {
  const finalized = cursor?.finalized ?? null;
  if (block.part >= block.parts) return { number: block.number, hash: block.hash, open: null, finalized };
  return {
    // Until its first block is complete, a chain is at that block's parent.
    number: cursor?.number ?? block.number - 1,
    hash: cursor?.hash ?? block.parentHash,
    open: { number: block.number, hash: block.hash, part: block.part },
    finalized,
  };
}

const goneBack = (cursor: ChainCursor, { number, hash }: Pick<ChainCursor, 'number' | 'hash'>): ChainCursor => ({
  number,
  hash,
  open: null,
  finalized: cursor.finalized === null ? null : Math.min(cursor.finalized, number),
});

/** Only objects are commitments; a zero set CID means an object without a set. */
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
