import type { RecordLabel } from '../contract.ts';
import { type PackedItem, packInColumns, unpackColumns } from './pack-in-columns.ts';

/** An event in a shared row of the event store: a message, its stream and version. */
export type StoredEvent = PackedItem & { readonly stream: string; readonly version: number };

/** Such a row's description of its record, instead of event data. */
export type StoredPack = {
  readonly key: string;
  readonly label: RecordLabel | null;
  readonly messages: number;
  /** The stream of an event is this and the field `by` of its data. */
  readonly prefix: string;
  readonly by: string;
  /** Versions of the events; one number if all are equal. */
  readonly versions: number | readonly number[];
};

/**
 * A row of the event store with several events: the record of their messages, as sent to Kafka after the schema's id.
 */
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
