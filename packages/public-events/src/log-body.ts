import { type Column, ColumnError, fromColumn, toColumn } from '@indelible/messages';
import type { LoggedEvent } from './cloud-event.ts';

/**
 * Events in columns: common values are stored once. Events of one kind have the same fields; with several kinds,
 * `order` has the kind of each event. Of equal columns of ids or hashes the first has the values, the others its index.
 */
type EventColumns = {
  readonly kinds: readonly { readonly events: number; readonly of: SharedColumn }[];
  readonly order?: readonly number[];
};
type SharedColumn = Column | { readonly of: Readonly<Record<string, SharedColumn>> } | { readonly like: number };

/** Columns of fewer events are hardly shorter than the events. */
const fewestByColumns = 4;

/** In characters. A longer shared text would make a row that is short but large in memory. */
const longestShared = 1_000;

/**
 * The JSON of a log row: a list for few or long events, otherwise columns. All rows of release 0.1.0 are lists.
 * @param events at least one
 */
export function toLogBody(events: readonly LoggedEvent[]): string {
  if (events.length < fewestByColumns) return JSON.stringify(events);
  const columns = toColumns(events);
  return JSON.stringify(columns.kinds.some(({ events, of }) => events > 1 && sharesLongValue(of)) ? events : columns);
}

/**
 * The events of a row, in their order.
 * @param body its parsed JSON
 * @throws ColumnError when it is neither a list nor columns
 */
export const fromLogBody = (body: unknown): readonly LoggedEvent[] =>
  Array.isArray(body) ? (body as readonly LoggedEvent[]) : fromColumns(body as EventColumns);

function toColumns(events: readonly LoggedEvent[]): EventColumns {
  const numbers = new Map<string, number>();
  const kinds: LoggedEvent[][] = [];
  const order = events.map((event) => {
    const key = `${event.name}.v${event.version}${event.traceparent === undefined ? '' : ' traced'}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    const own = kinds[number];
    if (own === undefined) kinds.push([event]);
    else own.push(event);
    return number;
  });
  return {
    kinds: kinds.map((own) => ({ events: own.length, of: shareValues(toColumn(own)) })),
    ...(kinds.length === 1 ? {} : { order }),
  };
}

function fromColumns({ kinds, order }: EventColumns): readonly LoggedEvent[] {
  if (!Array.isArray(kinds)) throw new ColumnError('a row of the log has no events');
  const events = kinds.map(({ events, of }) => fromColumn(restoreValues(of), events) as LoggedEvent[]);
  if (order === undefined) return events.flat();
  const next = events.map(() => 0);
  return order.map((kind) => {
    const event = events[kind]?.[(next[kind] as number)++];
    if (event === undefined) throw new ColumnError('a row of the log has fewer events than it says');
    return event;
  });
}

const isOfFields = (column: SharedColumn): column is { readonly of: Readonly<Record<string, SharedColumn>> } =>
  !('same' in column) && 'of' in column;

const mapFields = <To>(fields: Readonly<Record<string, SharedColumn>>, map: (column: SharedColumn) => To) => ({
  of: Object.fromEntries(Object.entries(fields).map(([field, column]) => [field, map(column)])),
});

function sharesLongValue(column: SharedColumn): boolean {
  if ('same' in column) return isLong(column.same);
  if ('some' in column) return column.some.some(isLong);
  return isOfFields(column) && Object.values(column.of).some(sharesLongValue);
}

const isLong = (value: unknown): boolean =>
  (typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : '').length > longestShared;

function shareValues(column: Column): SharedColumn {
  const numbers = new Map<string, number>();
  const share = (column: SharedColumn): SharedColumn => {
    if (isOfFields(column)) return mapFields(column.of, share);
    const values = valuesOf(column);
    if (values === undefined) return column;
    const like = numbers.get(values);
    if (like !== undefined) return { like };
    numbers.set(values, numbers.size);
    return column;
  };
  return share(column);
}

function restoreValues(column: SharedColumn): SharedColumn {
  const first: SharedColumn[] = [];
  const restore = (column: SharedColumn): SharedColumn => {
    if (isOfFields(column)) return mapFields(column.of, restore);
    if ('like' in column) {
      const { [column.like]: found } = first;
      if (found === undefined) throw new ColumnError('a column is like one that it is not behind');
      return found;
    }
    if (valuesOf(column) !== undefined) first.push(column);
    return column;
  };
  return restore(column);
}

const valuesOf = (column: SharedColumn): string | undefined =>
  'uuids' in column ? column.uuids : 'hex' in column ? `${column.bytes} ${column.hex}` : undefined;
