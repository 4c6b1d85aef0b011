import { commonAncestor } from '../decisions/common-ancestor.ts';
import type { Header, Place } from '../decisions/headers.ts';
import type { ChainPort, Cursor, StorePort } from './ports.ts';

/** Where two chains fork. With `anchor`, not even the anchor is common: the node's replaces it. */
export type Parting = { readonly ancestor: Place; readonly anchor?: Header };

const firstLook = 16;
const longestLook = 256;

/**
 * Walks back our headers, comparing them with the node's, in growing strides since most reorgs are shallow.
 * @returns undefined when the node's chain is too short to compare our lowest headers
 */
export async function findAncestor(
  { chain, store }: { readonly chain: ChainPort; readonly store: StorePort },
  cursor: Cursor,
  head: Place,
): Promise<Parting | undefined> {
  let differed = false;
  let below = Math.min(cursor.number, head.number);
  for (let look = firstLook; ; look = Math.min(look * 2, longestLook)) {
    const own = await store.placesBelow(below, look);
    const lowest = own.at(-1);
    if (lowest === undefined) break;
    const headers = await chain.headers(own.map(({ number }) => number));
    const ancestor = commonAncestor(own, new Map(headers.map(({ number, hash }) => [number, hash])));
    differed ||= headers.some(({ number }) => number >= cursor.start && number > (ancestor?.number ?? 0));
    // The anchor is common, and no later header differed: the node may just be far behind.
    if (ancestor !== undefined) return ancestor.number < cursor.start && !differed ? undefined : { ancestor };
    below = lowest.number - 1;
  }
  const [anchor] = await chain.headers([cursor.start - 1]);
  return anchor === undefined ? undefined : { ancestor: anchor, anchor };
}
