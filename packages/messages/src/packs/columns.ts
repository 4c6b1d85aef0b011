/** A value per message, in the shortest form for the given values. */
export type Column =
  | { readonly same: unknown }
  /** Objects with exactly these fields. */
  | { readonly of: Readonly<Record<string, Column>> }
  /** UUIDs, 16 bytes each, in base64. */
  | { readonly uuids: string }
  /** Lower-case hex after 0x, of one length in bytes, in base64. */
  | { readonly hex: string; readonly bytes: number }
  /** Instants with milliseconds: the first since 1970, the others since the one before. */
  | { readonly instants: readonly number[] }
  /** Few values, and each message's index. */
  | { readonly some: readonly unknown[]; readonly at: readonly number[] }
  | { readonly each: readonly unknown[] };

/** Not a valid column of that many messages. */
export class ColumnError extends Error {}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const hexBytes = /^0x(?:[0-9a-f]{2})+$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuidBytes = 16;

/** @param values JSON values, at least one; undefined fields of objects are ignored */
export function toColumn(values: readonly unknown[]): Column {
  const [first] = values;
  if (isSame(values)) return { same: first };
  if (values.every(isText)) return ofTexts(values);
  if (values.every(isObject)) return ofObjects(values);
  return typeof first === 'number' ? { each: values } : (ofFew(values, JSON.stringify) ?? { each: values });
}

function ofTexts(values: readonly string[]): Column {
  const [first = ''] = values;
  const few = ofFew(values, (value) => value);
  if (few !== undefined) return few;
  if (values.every((value) => uuid.test(value))) return { uuids: base64Of(values.join('').replaceAll('-', '')) };
  if (values.every((value) => value.length === first.length && hexBytes.test(value)))
    return { hex: base64Of(values.map((value) => value.slice(2)).join('')), bytes: first.length / 2 - 1 };
  if (values.every(isInstant)) {
    const times = values.map((value) => Date.parse(value));
    return { instants: times.map((time, i) => (i === 0 ? time : time - (times[i - 1] as number))) };
  }
  return { each: values };
}

/** The values of a column of `count` messages. @throws ColumnError */
export function fromColumn(column: unknown, count: number): unknown[] {
  if (!isObject(column)) throw new ColumnError('a column is no object');
  if ('same' in column) return new Array(count).fill(column.same);
  if ('of' in column) return objectsOf(column.of, count);
  if ('each' in column) return listOf(column.each, count);
  if ('some' in column) {
    const { some } = column;
    if (!Array.isArray(some)) throw new ColumnError('a column has no values');
    return listOf(column.at, count).map((at) => {
      if (!Number.isInteger(at) || (at as number) < 0 || (at as number) >= some.length)
        throw new ColumnError('a column names a value that it has not');
      return some[at as number];
    });
  }
  if ('uuids' in column)
    return digitsOf(column.uuids, uuidBytes, count).map(
      (digits) =>
        `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`,
    );
  if ('hex' in column) return digitsOf(column.hex, column.bytes, count).map((digits) => `0x${digits}`);
  if ('instants' in column) {
    let time = 0;
    return listOf(column.instants, count).map((step) => {
      time += Number(step);
      if (!(Math.abs(time) <= 8.64e15)) throw new ColumnError('a column has an instant that is none');
      return new Date(time).toISOString();
    });
  }
  throw new ColumnError('a column is of an unknown kind');
}

/** Whether a body has more columns than `most`, including nested ones. */
export function hasMoreColumns(column: unknown, most: number): boolean {
  let count = 0;
  for (const rest = [column]; rest.length > 0; ) {
    const one = rest.pop();
    count += 1;
    if (count > most) return true;
    if (isObject(one) && !('same' in one) && isObject(one.of))
      for (const inner of Object.values(one.of)) rest.push(inner);
  }
  return false;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isSame(values: readonly unknown[]): boolean {
  const [first] = values;
  if (typeof first !== 'object' || first === null) return values.every((value) => value === first);
  const text = JSON.stringify(first);
  return values.every((value) => value === first || JSON.stringify(value) === text);
}

const fieldsOf = (value: Record<string, unknown>): string[] =>
  Object.keys(value).filter((field) => value[field] !== undefined);

function ofObjects(values: readonly Record<string, unknown>[]): Column {
  const fields = fieldsOf(values[0] as Record<string, unknown>);
  const isAlike = (value: Record<string, unknown>): boolean => {
    const own = Object.keys(value);
    return (
      (own.length === fields.length || fieldsOf(value).length === fields.length) &&
      fields.every((field, i) => (own[i] === field || Object.hasOwn(value, field)) && value[field] !== undefined)
    );
  };
  // Assigning `__proto__` would not create a field.
  if (fields.includes('__proto__') || !values.every(isAlike)) return { each: values };
  return { of: Object.fromEntries(fields.map((field) => [field, toColumn(values.map((value) => value[field]))])) };
}

/** How many values show whether they repeat. */
const sample = 16;

/** Repeated values, by index. */
function ofFew<Value>(values: readonly Value[], keyOf: (value: Value) => string): Column | undefined {
  const most = Math.floor(values.length / 2);
  const places = new Map<string, number>();
  const some: Value[] = [];
  const at: number[] = [];
  for (const value of values) {
    const key = keyOf(value);
    let place = places.get(key);
    if (place === undefined) {
      place = some.length;
      places.set(key, place);
      some.push(value);
      if (place >= most || (at.length === place && place >= sample)) return undefined;
    }
    at.push(place);
  }
  return { some, at };
}

const isInstant = (value: string): boolean => {
  if (!instant.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
};

const base64Of = (digits: string): string => Buffer.from(digits, 'hex').toString('base64');

function digitsOf(text: unknown, bytes: unknown, count: number): string[] {
  if (typeof text !== 'string' || !Number.isInteger(bytes) || (bytes as number) < 1)
    throw new ColumnError('a column has no bytes');
  const digits = Buffer.from(text, 'base64').toString('hex');
  const length = 2 * (bytes as number);
  if (digits.length !== length * count) throw new ColumnError('a column has not as many bytes as its messages need');
  return Array.from({ length: count }, (_, i) => digits.slice(i * length, (i + 1) * length));
}

function listOf(list: unknown, count: number): unknown[] {
  if (!Array.isArray(list) || list.length !== count)
    throw new ColumnError('a column has not as many values as messages');
  return list;
}

function objectsOf(columns: unknown, count: number): Record<string, unknown>[] {
  if (!isObject(columns) || Object.hasOwn(columns, '__proto__')) throw new ColumnError('a column has no fields');
  const fields = Object.entries(columns).map(([field, column]) => ({
    field,
    // The same value needs no list.
    values: isObject(column) && 'same' in column ? undefined : fromColumn(column, count),
    same: isObject(column) ? column.same : undefined,
  }));
  return Array.from({ length: count }, (_, i) => {
    const object: Record<string, unknown> = {};
    for (const { field, values, same } of fields) object[field] = values === undefined ? same : values[i];
    return object;
  });
}
