import type { Hex } from '@indelible/identifiers';
import type { Place } from './headers.ts';

/**
 * The highest block in both chains.
 * @param own our blocks, in any order
 * @param theirs the node's hashes at those numbers; a missing number proves nothing
 * @returns undefined without a common block
 */
export function commonAncestor(own: readonly Place[], theirs: ReadonlyMap<number, Hex>): Place | undefined {
  let highest: Place | undefined;
  for (const place of own)
    if (theirs.get(place.number) === place.hash && place.number >= (highest?.number ?? 0)) highest = place;
  return highest;
}
