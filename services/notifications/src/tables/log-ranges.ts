import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';

/** The part of an account's log that was appended in a period: after `after`, up to `last`. */
export type LogRange = { readonly account: Hex; readonly after: number; readonly last: number };

type Row = { readonly account: Buffer; readonly after: number | null; readonly last: number | null };

/**
 * The accounts from one on, in order, at most `limit`, each with its range of the period: two index look-ups, however
 * long its log is.
 * @returns `next`: the account to continue with; undefined at the end
 */
export async function readRanges(
  database: Pick<Database, 'query'>,
  from: Hex,
  limit: number,
  time: { readonly since: Date; readonly until: Date },
): Promise<{ readonly ranges: readonly LogRange[]; readonly next: Hex | undefined }> {
  const { rows } = await database.query<Row>({
    name: 'read-log-ranges',
    text: `select a.account,
             (select position - events_count from log where account = a.account and appended_at >= $3
              order by appended_at, position limit 1) as after,
             (select position from log where account = a.account and appended_at < $4
              order by appended_at desc, position desc limit 1) as last
           from (select account from accounts where account >= $1 order by account limit $2) as a order by a.account`,
    values: [bytesOfHex(from), limit, time.since, time.until],
  });
  const ranges = rows.flatMap(({ account, after, last }) =>
    after === null || last === null || last <= after ? [] : [{ account: hexOfBytes(account), after, last }],
  );
  const last = rows.at(-1);
  // The next value in byte order.
  const next = last === undefined || rows.length < limit ? undefined : (`${hexOfBytes(last.account)}00` as const);
  return { ranges, next };
}
