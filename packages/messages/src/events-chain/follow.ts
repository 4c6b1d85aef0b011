import type { Hex } from '@indelible/identifiers';
import type { BlockAppended } from './block-appended.ts';
import type { BlocksFinalized } from './blocks-finalized.ts';
import type { BlocksReverted } from './blocks-reverted.ts';

/**
 * How a consumer of events.chain follows it without ever stalling (I11).
 *
 * The topic holds one ordered stream for each chain. As published, each block is the child of the one before it, and a
 * revert names the block before it and an ancestor of that. A consumer may still read something else: a record was
 * lost, its offsets were lost so that it rereads old history, or blocks were republished because some consumer had a
 * gap. So it compares each message with its position and takes one of four ways:
 *
 * - `follows`: apply the message and move the position.
 * - `known`: the message was applied before, or does not concern what was: drop it as handled.
 * - `gap`: something between the position and the message is missing. Drop the message as handled and request that the
 *   chain-indexer publish again, from block `from`. The missing blocks arrive later in the same stream, all blocks up
 *   to the indexer's newest follow them, then its current marks.
 * - `fork`: the block of the position is not on the chain that the stream continues: a revert was lost. Revert every
 *   block above {@link rewound}'s number, save that as the position, drop the message, and request publishing from the
 *   next number.
 *
 * A consumer at the head drops all republished messages as `known`.
 */
export type ChainPosition = {
  /** The block that was read last, whole or in part. */
  readonly number: number;
  readonly hash: Hex;
  /** The last of its parts that was read. */
  readonly part: number;
  /** Whether that was the block's last part. */
  readonly complete: boolean;
};

export type ChainWay =
  | { readonly kind: 'follows' | 'known' | 'fork' }
  /** @property from the first block that is missing */
  | { readonly kind: 'gap'; readonly from: number };

/** The hash of a position after {@link rewound}: the next block's parent is trusted. */
export const unknownHash: Hex = `0x${'0'.repeat(64)}`;

const follows: ChainWay = { kind: 'follows' };
const known: ChainWay = { kind: 'known' };
const fork: ChainWay = { kind: 'fork' };

/** @param position undefined before the first block: any block is a beginning */
export function wayOfBlock(position: ChainPosition | undefined, block: BlockAppended): ChainWay {
  if (position === undefined) return block.part === 1 ? follows : { kind: 'gap', from: block.number };
  const { number, hash, part, complete } = position;
  const gap: ChainWay = { kind: 'gap', from: complete ? number + 1 : number };
  if (block.number < number) return known;
  if (block.number === number) {
    if (block.hash !== hash) return hash === unknownHash ? known : fork;
    if (complete || block.part <= part) return known;
    return block.part === part + 1 ? follows : gap;
  }
  if (!complete || block.number > number + 1) return gap;
  if (hash !== unknownHash && block.parentHash !== hash) return fork;
  return block.part === 1 ? follows : gap;
}

/** A revert that follows moves the position to its ancestor. */
export function wayOfRevert(position: ChainPosition | undefined, { ancestor, revertedHead }: BlocksReverted): ChainWay {
  if (position === undefined || ancestor.number > position.number) return known;
  const { number, hash } = position;
  if (ancestor.number === number) return hash === unknownHash || ancestor.hash === hash ? known : fork;
  // From before the position was reached.
  if (revertedHead.number < number) return known;
  if (revertedHead.number === number && revertedHead.hash !== hash && hash !== unknownHash) return fork;
  // The reverted head is the position, or above it while there is a gap.
  return follows;
}

/** For BlocksFinalized and BlocksSafe: a mark counts only once every block below it was read. Never a fork. */
export function wayOfMark(
  position: ChainPosition | undefined,
  mark: BlocksFinalized,
): Exclude<ChainWay, { readonly kind: 'fork' }> {
  if (position === undefined) return { kind: 'known' };
  const { number, hash, complete } = position;
  const reached =
    mark.number < number || (mark.number === number && complete && (mark.hash === hash || hash === unknownHash));
  if (reached) return { kind: 'follows' };
  return { kind: 'gap', from: complete ? number + 1 : number };
}

/**
 * The position after a fork: at the newest final block below it, since none of those is lost. Without any finality yet,
 * before block 1; a chain followed from a later block must be rebuilt then.
 */
export const rewound = (position: ChainPosition, finalized: number | null): ChainPosition => ({
  number: Math.max(0, Math.min(finalized ?? 0, position.number - 1)),
  hash: unknownHash,
  part: 1,
  complete: true,
});
