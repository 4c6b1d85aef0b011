import { fromPackRow, type PackRow } from '@indelible/messages';
import type { Query } from './reader.ts';

/** An event of a stamp that shares its row with others. */
export type PackedEvent = {
  readonly stampId: string;
  readonly version: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A row has up to 256 KiB. */
export const mostPacks = 250;

/** Stamping's rows that several events share, in their order, by pages: the events of each page. */
export async function* readPacks(query: Query, pageSize: number): AsyncGenerator<readonly PackedEvent[]> {
  const limit = Math.min(pageSize, mostPacks);
  for (let after: { position: number; stream: string } | undefined; ; ) {
    const rows = await query<PackRow & { position: number; stream: string; type: string }>(
      `select position, stream, type, data, record from stamping.events
       where (position, stream) > ($1::bigint, $2::text) and position >= $1 and record is not null order by position, stream limit ${limit}`,
      [after?.position ?? 0, after?.stream ?? ''],
    );
    if (rows.length > 0) yield rows.flatMap(eventsOf);
    after = rows.at(-1);
    if (after === undefined || rows.length < limit) return;
  }
}

const eventsOf = ({ type, ...row }: PackRow & { readonly type: string }): PackedEvent[] =>
  fromPackRow(row).map(({ version, data }) => {
    const fields = data as Readonly<Record<string, unknown>>;
    return { stampId: String(fields.stampId), version, type, data: fields };
  });
