import { isZeroCid, parseCid } from '@indelible/identifiers';
import { HttpError, invalid } from '../http/errors.ts';
import { parseTimestamp } from './timestamp.ts';

/** Objects to verify, checked and written as lines for the verification service, as they are read. */
export type ObjectList = {
  /**
   * @param where names a value of this object: its key or its line
   * @throws HttpError 400 naming the value at fault; 413 beyond the limit
   */
  add(object: { readonly cid: string; readonly timestamp: string }, where: (key: string) => string): void;
  /** The lines added since it was last asked; empty when there are none. */
  take(): string;
  count(): number;
};

export function createObjectList(maxObjects: number): ObjectList {
  let lines = '';
  let count = 0;
  return {
    add({ cid, timestamp }, where) {
      if (count === maxObjects)
        throw new HttpError(413, 'the request is too large', { details: `objects: at most ${maxObjects}` });
      const seconds = parseTimestamp(timestamp);
      if (seconds === undefined)
        throw invalid(
          where('timestamp'),
          'must be an ISO 8601 date and time with an offset, of the years 1970 to 9999 in UTC',
        );
      const parsed = parseCid(cid);
      if (parsed === undefined) throw invalid(where('cid'), 'must be a CID: 0x and 64 hex digits');
      if (isZeroCid(parsed)) throw invalid(where('cid'), 'must not be the zero CID');
      count++;
      // A timestamp that was parsed holds nothing that JSON escapes.
      lines += `["${parsed.slice(2)}",${seconds},"${timestamp}"]\n`;
    },
    take() {
      const taken = lines;
      lines = '';
      return taken;
    },
    count: () => count,
  };
}
