import type { Hex } from '@indelible/identifiers';

/** Blocks read side by side: each may hold some megabytes at a time. */
const readAhead = 3;

/**
 * Reads blocks one after the other, and a few ahead. Those that were read and not fetched of one list are kept for the next.
 * @returns for a list of blocks, a function that answers what `read` does of each, in the order of the list
 */
export function createReadAhead<Header extends { readonly hash: Hex }, Result>(
  read: (header: Header) => Promise<Result>,
): (headers: readonly Header[]) => (header: Header) => Promise<Result> {
  let ahead = new Map<Hex, Promise<Result>>();
  return (headers) => {
    ahead = new Map([...ahead].filter(([hash]) => headers.some((header) => header.hash === hash)));
    const reading = ahead;
    const begin = (header: Header): Promise<Result> => {
      const begun = reading.get(header.hash) ?? read(header);
      reading.set(header.hash, begun);
      // It may be awaited late, or never; a fault is not kept for the next caller.
      begun.catch(() => reading.delete(header.hash));
      return begun;
    };
    return (header) => {
      const place = headers.findIndex(({ hash }) => hash === header.hash);
      for (const next of headers.slice(place, place + readAhead)) begin(next);
      const result = begin(header);
      reading.delete(header.hash);
      return result;
    };
  };
}
