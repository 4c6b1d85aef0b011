import { fromPackRow, type StoredPack } from '@indelible/messages';

/** The part of a pool of connections that is needed here. */
type Pool = { query(text: string): Promise<{ rows: Row[] }> };

type Row = {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly type_version: number;
  readonly message_id: string;
  readonly data: Record<string, unknown>;
  readonly request_id: string | null;
  readonly record: Buffer | null;
};

/** An event of an event store, in its own or a shared row. */
export type RecordedEvent = Omit<Row, 'record'>;

/** All events of a schema, in the order of their positions. */
export async function recordedEvents(pool: Pool, schema: string): Promise<RecordedEvent[]> {
  const { rows } = await pool.query(
    `select stream, version, type, type_version, message_id, data, request_id, record from ${schema}.events order by position, version`,
  );
  return rows.flatMap(({ record, ...row }) =>
    record === null
      ? [row]
      : fromPackRow({ data: row.data as StoredPack, record }).map((event) => ({
          ...{ stream: event.stream, version: event.version, type: row.type, type_version: row.type_version },
          ...{ message_id: event.id, data: event.data as Record<string, unknown> },
          request_id: event.requestId ?? null,
        })),
  );
}

/** Streams in which a version is missing, or is there twice. */
export function streamsWithGaps(events: readonly Pick<RecordedEvent, 'stream' | 'version'>[]): string[] {
  const versions = new Map<string, number[]>();
  for (const { stream, version } of events) versions.set(stream, [...(versions.get(stream) ?? []), version]);
  return [...versions].flatMap(([stream, list]) =>
    list.toSorted((one, other) => one - other).every((version, i) => version === i + 1) ? [] : [stream],
  );
}
