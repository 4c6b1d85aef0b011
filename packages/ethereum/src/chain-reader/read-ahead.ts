import type { Hex } from '@indelible/identifiers';

/** Blocks read in parallel: each may hold some megabytes. */
const readAhead = 3;

/**
 * Reads blocks in order, a few ahead. Results of one list that were not fetched are kept for the next.
 * @returns for a list of blocks, a function that returns the result of `read` for each, in order
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
      // It may be awaited late, or never; faults are not kept for the next caller.
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
