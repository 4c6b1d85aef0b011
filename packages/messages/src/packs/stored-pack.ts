import type { RecordLabel } from '../contract.ts';
import { type PackedItem, packInColumns, unpackColumns } from './pack-in-columns.ts';

/** An event that shares a row of the event store: a message, with its stream and its version in it. */
export type StoredEvent = PackedItem & { readonly stream: string; readonly version: number };

/** What such a row says of its record, in place of an event's data. */
export type StoredPack = {
  readonly key: string;
  readonly label: RecordLabel | null;
  readonly messages: number;
  /** The stream of an event is this and the field `by` of its data. */
  readonly prefix: string;
  readonly by: string;
  /** Of the events in their streams; one number when all have the same. */
  readonly versions: number | readonly number[];
};

/** A row of the event store that holds several events: the record of their messages, as it goes to Kafka behind the schema's id. */
export type PackRow = { readonly data: StoredPack; readonly record: Buffer };

/** @param events at least one */
export function toPackRow(
  events: readonly StoredEvent[],
  place: Pick<StoredPack, 'key' | 'label' | 'prefix' | 'by'>,
): PackRow {
  const versions = events.map(({ version }) => version);
  const [first = 1] = versions;
  return {
    data: {
      ...place,
      messages: events.length,
      versions: versions.every((version) => version === first) ? first : versions,
    },
    record: Buffer.from(packInColumns(events)),
  };
}

/** The events of a row, in their order. @throws ColumnError or SyntaxError when the row is damaged */
export function fromPackRow({ data: { prefix, by, versions }, record }: PackRow): readonly StoredEvent[] {
  return unpackColumns(JSON.parse(record.toString())).map((item, i) => ({
    ...item,
    stream: `${prefix}${(item.data as Record<string, unknown>)[by]}`,
    version: typeof versions === 'number' ? versions : (versions[i] ?? 0),
  }));
}

/** The stream of the row itself, by the id of its first message. */
export const packStream = (id: string): string => `pack-${id}`;
