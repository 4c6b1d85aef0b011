import type { PackRow, StoredPack } from '@indelible/messages';

/** A row of `events`: an event, or several that share it. */
export type RecordedEvent = {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly typeVersion: number;
  readonly messageId: string;
  /** In a shared row: the description of its record. */
  readonly data: object;
  /** The record of the messages of events that share the row. */
  readonly record: Buffer | null;
  /** Of the data or the record, in bytes as published. */
  readonly size: number;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly recordedAt: Date;
};

/** The row if it is shared by several events. */
export const packRowOf = ({ data, record }: Pick<RecordedEvent, 'data' | 'record'>): PackRow | undefined =>
  record === null ? undefined : { data: data as StoredPack, record };
