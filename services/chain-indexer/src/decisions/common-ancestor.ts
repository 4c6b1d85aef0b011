import type { Hex } from '@indelible/identifiers';
import type { Place } from './headers.ts';

/**
 * The highest block that both chains have.
 * @param own our blocks, in any order
 * @param theirs the node's hashes at those numbers; a number that is missing counts neither way
 * @returns undefined when none of them is common
 */
export function commonAncestor(own: readonly Place[], theirs: ReadonlyMap<number, Hex>): Place | undefined {
  let highest: Place | undefined;
  for (const place of own)
    if (theirs.get(place.number) === place.hash && place.number >= (highest?.number ?? 0)) highest = place;
  return highest;
}
