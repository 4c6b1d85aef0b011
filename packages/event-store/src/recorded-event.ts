import type { PackRow, StoredPack } from '@indelible/messages';

/** A row of `events`: an event, or several that share it. */
export type RecordedEvent = {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly typeVersion: number;
  readonly messageId: string;
  /** Of a row that events share: what it says of its record. */
  readonly data: object;
  /** The record of the messages of events that share the row. */
  readonly record: Buffer | null;
  /** Of the data or the record, in bytes as it is published. */
  readonly size: number;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly recordedAt: Date;
};

/** The row of an event that shares it with others. */
export const packRowOf = ({ data, record }: Pick<RecordedEvent, 'data' | 'record'>): PackRow | undefined =>
  record === null ? undefined : { data: data as StoredPack, record };
