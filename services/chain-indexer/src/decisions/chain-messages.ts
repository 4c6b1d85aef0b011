import { createHash } from 'node:crypto';
import { BlockAppended, BlocksFinalized, BlocksReverted, BlocksSafe, type ChainLog } from '@indelible/messages';
import type { Block, Place } from './headers.ts';

/**
 * A part ends with a transaction once it has `some` logs: readers confirm the first part while they read the next. At
 * about 330 bytes a log, even `most` logs stay well below a broker's usual megabyte.
 */
export const logsPerPart = { some: 250, most: 1_000 };

/** A message of events.chain with its identity. */
export type ChainMessage = { readonly traceparent?: string } & (
  | { readonly contract: typeof BlockAppended; readonly id: string; readonly data: BlockAppended }
  | { readonly contract: typeof BlocksReverted; readonly id: string; readonly data: BlocksReverted }
  | { readonly contract: typeof BlocksFinalized; readonly id: string; readonly data: BlocksFinalized }
  | { readonly contract: typeof BlocksSafe; readonly id: string; readonly data: BlocksSafe }
);

/** What a message's id depends on besides its fact: see {@link messageId}. */
export type Publication = {
  /** Number of reorgs published before it. */
  readonly reorgs: number;
  /** The run that republishes it, if any. */
  readonly run?: number;
};

/** The messages of a block, in order. */
export function blockAppended(chainId: number, publication: Publication, block: Block): readonly ChainMessage[] {
  const { number, hash, parentHash, time } = block;
  const parts = cutLogs(block.logs);
  return parts.map(
    (logs, i): ChainMessage => ({
      contract: BlockAppended,
      id: messageId(chainId, publication, BlockAppended.type, hash, String(i + 1)),
      data: { chainId, number, hash, parentHash, time, part: i + 1, parts: parts.length, logs },
    }),
  );
}

/** At least one part, possibly empty: readers wait for every block number. */
function cutLogs(logs: readonly ChainLog[]): ChainLog[][] {
  const parts: ChainLog[][] = [];
  let part: ChainLog[] = [];
  for (const log of logs) {
    const ends = part.length >= logsPerPart.some && part.at(-1)?.transactionHash !== log.transactionHash;
    if (ends || part.length === logsPerPart.most) {
      parts.push(part);
      part = [];
    }
    part.push(log);
  }
  return [...parts, part];
}

/** @param reorgs this one included */
export function blocksReverted(chainId: number, reorgs: number, ancestor: Place, head: Place): ChainMessage {
  return {
    contract: BlocksReverted,
    id: messageId(chainId, { reorgs }, BlocksReverted.type, ancestor.hash, head.hash),
    data: {
      chainId,
      ancestor: { number: ancestor.number, hash: ancestor.hash },
      revertedHead: { number: head.number, hash: head.hash },
    },
  };
}

/** That a block and all before it are final, or safe. */
export function blocksMarked(
  chainId: number,
  publication: Publication,
  mark: 'safe' | 'finalized',
  { number, hash }: Place,
): ChainMessage {
  const contract = mark === 'safe' ? BlocksSafe : BlocksFinalized;
  return { contract, id: messageId(chainId, publication, contract.type, hash), data: { chainId, number, hash } };
}

/**
 * An id derived from the fact: when the relay, or an indexer whose database was set back, publishes a fact again, it
 * has its former id, and inboxes drop it (I5). The id includes the count of reorgs, because a block that returns after
 * a revert is a new fact, which no inbox may drop; and the run that republishes a fact for a consumer that lacks it,
 * since that consumer's inbox may know the message it dropped.
 */
function messageId(chainId: number, { reorgs, run }: Publication, ...parts: readonly string[]): string {
  const digest = createHash('sha256')
    .update(`indelible.chain ${chainId} ${reorgs} ${parts.join(' ')}${run === undefined ? '' : ` again ${run}`}`)
    .digest();
  // A UUID of version 8: its bits are ours, less version and variant.
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
