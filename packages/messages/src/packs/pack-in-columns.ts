import { ColumnError, fromColumn, hasMoreColumns, toColumn } from './columns.ts';
import { recordBounds } from './group-into-records.ts';

/** A message as it is in a record with others. */
export type PackedItem = {
  readonly id: string;
  readonly time: string;
  readonly requestId?: string;
  readonly traceparent?: string;
  readonly data: unknown;
};

/**
 * The body of a record with messages of one contract in columns: `messages`, their number, and `of`, their fields.
 * Common values are in it once (docs/adr/0034-a-row-a-pack.md).
 */
export const columnsContentType = 'application/vnd.indelible.columns+json';

/**
 * Limits the cost of decoding a body, however small: a constant column is a few bytes for any number of values. A
 * single message may have as many columns as a hundred, since they may be nested.
 */
const mostValues = 100_000;
const mostColumns = (messages: number): number => mostValues / Math.max(messages, 100);

/** @param items at least one, at most as many as a record holds */
export function packInColumns(items: readonly PackedItem[]): string {
  const alike = items.map(({ id, time, requestId = null, traceparent = null, data }) => ({
    ...{ id, time, requestId, traceparent, data },
  }));
  const of = Object.fromEntries(
    (['id', 'time', 'requestId', 'traceparent', 'data'] as const).map((field) => [
      field,
      toColumn(alike.map((item) => item[field])),
    ]),
  );
  // Data with too many fields for a reader is not split.
  if (hasMoreColumns({ of }, mostColumns(items.length))) of.data = { each: alike.map(({ data }) => data) };
  return JSON.stringify({ messages: items.length, of });
}

/** The messages of such a body, in their order. Their ids and times are to be checked. @throws ColumnError */
export function unpackColumns(body: unknown): readonly PackedItem[] {
  const { messages, of } = (body ?? {}) as { readonly messages?: unknown; readonly of?: unknown };
  if (!Number.isInteger(messages) || (messages as number) < 1 || (messages as number) > recordBounds.messages)
    throw new ColumnError('it does not say how many messages it has, or has more than a record holds');
  if (hasMoreColumns({ of }, mostColumns(messages as number))) throw new ColumnError('it has too many columns');
  const items = fromColumn({ of }, messages as number) as Record<string, unknown>[];
  for (const item of items) {
    // Null: none.
    if (item.requestId === null) delete item.requestId;
    if (item.traceparent === null) delete item.traceparent;
  }
  return items as PackedItem[];
}
