import type { ConfirmationDepth } from '@indelible/ethereum';

/**
 * The last block whose stamps are confirmed; undefined when inclusion in a block is enough, and nothing is left to do.
 */
export function confirmedUpTo(
  { head, safe, finalized }: { readonly head: number | undefined; readonly safe: number; readonly finalized: number },
  confirmation: ConfirmationDepth,
): number | undefined {
  if (confirmation === 'safe') return safe;
  if (confirmation === 'finalized') return finalized;
  return confirmation === 1 || head === undefined ? undefined : head - confirmation + 1;
}
