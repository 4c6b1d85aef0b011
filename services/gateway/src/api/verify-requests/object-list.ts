import { isZeroCid, parseCid } from '@indelible/identifiers';
import { HttpError, invalid } from '../../errors/http-error.ts';
import { parseTimestamp } from './timestamp.ts';

/** Room for the lines of a usual chunk; grows for a larger one. */
const firstBytes = 128 * 1024;

/** Objects to verify, checked and written as lines for the verification service, as they are read. */
export function createObjectList(maxObjects: number) {
  // Bytes, and one flat text of them: a text joined from a million pieces would keep them all until it is sent.
  let lines = Buffer.allocUnsafeSlow(firstBytes);
  let filled = 0;
  let count = 0;
  return {
    /**
     * @param where names a value of this object: its key or line
     * @throws HttpError 400 naming the invalid value; 413 over the limit
     */
    add(
      { cid, timestamp }: { readonly cid: string; readonly timestamp: string },
      where: (key: string) => string,
    ): void {
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
      // A parsed timestamp is ASCII and needs no JSON escapes.
      const line = `["${parsed.slice(2)}",${seconds},"${timestamp}"]\n`;
      if (filled + line.length > lines.length) lines = Buffer.concat([lines], 2 * (lines.length + line.length));
      filled += lines.write(line, filled, 'latin1');
    },
    /** The lines added since the last call; empty when there are none. */
    take(): string {
      const taken = lines.toString('latin1', 0, filled);
      filled = 0;
      return taken;
    },
    count: (): number => count,
  };
}

export type ObjectList = ReturnType<typeof createObjectList>;
