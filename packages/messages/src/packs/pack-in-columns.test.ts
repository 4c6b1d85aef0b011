import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ColumnError } from './columns.ts';
import { type PackedItem, packInColumns, unpackColumns } from './pack-in-columns.ts';
import { fromPackRow, toPackRow } from './stored-pack.ts';

const rounds = { numRuns: 300 };
const uuid = fc.uuid();
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => `0x${Buffer.from(value).toString('hex')}`);
const instant = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
/** What comes out of JSON; undefined and -0 do not. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
/** Of few values, so that they are repeated. */
const fewOf = <Value>(values: fc.Arbitrary<Value>) =>
  fc.array(values, { minLength: 1, maxLength: 3 }).chain((some) => fc.constantFrom(...some));
const alike = fc.record({
  stampId: uuid,
  objectCid: hex(32),
  logIndex: fc.nat(),
  requestedAt: instant,
  name: fc.oneof(fc.constant(null), fc.string()),
  receipt: fc.record({ account: hex(20), block: fewOf(fc.nat()), of: fewOf(json) }),
});
const items = (data: fc.Arbitrary<unknown>): fc.Arbitrary<PackedItem[]> =>
  fc.array(
    fc
      .record({
        id: uuid,
        time: fewOf(instant),
        requestId: fc.option(uuid, { nil: undefined }),
        traceparent: fc.option(fc.string(), { nil: undefined }),
        data,
      })
      .map(({ requestId, traceparent, ...item }) => ({
        ...item,
        ...(requestId === undefined ? {} : { requestId }),
        ...(traceparent === undefined ? {} : { traceparent }),
      })),
    { minLength: 1, maxLength: 40 },
  );

describe('messages by columns', () => {
  it.each([
    ['that are alike', alike],
    ['of any data', json],
    ['of data of several kinds', fc.oneof(alike, json)],
    [
      'of objects with any fields',
      fc
        .object({ key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a', 'b')) })
        .map((value) => JSON.parse(JSON.stringify(value)) as unknown),
    ],
    [
      'of texts that look like bytes, ids or instants',
      fc.oneof(
        uuid,
        hex(4),
        instant,
        fc.constantFrom('0x', '0xAB', '2026-02-30T00:00:00.000Z', '2026-01-01T00:00:00Z'),
      ),
    ],
  ])('come out as they went in: %s (I5, I8)', (_, data) => {
    fc.assert(
      fc.property(items(data), (messages) => {
        expect(unpackColumns(JSON.parse(packInColumns(messages)))).toEqual(messages);
      }),
      rounds,
    );
  });

  it('name what all have in common once', () => {
    const receipt = { transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 7 };
    const messages = Array.from(
      { length: 500 },
      (_, n): PackedItem => ({
        ...{
          id: uuidOf(n),
          time: '2026-11-24T12:00:00.000Z',
          traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
        },
        data: { stampId: uuidOf(1_000 + n), receipt: { ...receipt, objectCid: hexOf(n) }, content: null },
      }),
    );
    const body = packInColumns(messages);
    expect(body.split(receipt.transactionHash)).toHaveLength(2);
    expect(body.length / messages.length).toBeLessThan(90);
  });

  it('have data of more fields than may be columns all the same (I8)', () => {
    const messages = [1, 2].map(
      (n): PackedItem => ({
        ...{ id: uuidOf(n), time: '2026-11-24T12:00:00.000Z' },
        data: Object.fromEntries(Array.from({ length: 2_000 }, (_, field) => [`field${field}`, n])),
      }),
    );
    expect(unpackColumns(JSON.parse(packInColumns(messages)))).toEqual(messages);
  });

  it('of a row know their streams and versions', () => {
    const events = [3, 3, 4].map((version, n) => ({
      ...{ id: uuidOf(n), time: '2026-11-24T12:00:00.000Z', data: { stampId: uuidOf(10 + n) } },
      ...{ stream: `stamp-${uuidOf(10 + n)}`, version },
    }));
    const place = { key: '3', label: 'no-content', prefix: 'stamp-', by: 'stampId' } as const;
    expect(fromPackRow(toPackRow(events, place))).toEqual(events);
    expect(fromPackRow(toPackRow(events.slice(0, 2), place))).toEqual(events.slice(0, 2));
    expect(toPackRow(events.slice(0, 2), place).data.versions).toBe(3);
  });

  it.each([
    ['nothing', null],
    ['no number of messages', { of: {} }],
    ['none', { messages: 0, of: {} }],
    ['more than a record has', { messages: 1e9, of: {} }],
    ['one more than a record has', { messages: 501, of: { id: { same: 'a' } } }],
    ['more columns than its messages may have', { messages: 500, of: { data: { of: columns(200) } } }],
    ['columns nested without end', { messages: 1, of: { data: nested(50_000) } }],
    ['no columns', { messages: 2 }],
    ['a column of an unknown kind', { messages: 2, of: { id: { newer: 1 } } }],
    ['too few values', { messages: 2, of: { id: { each: ['a'] } } }],
    ['too few bytes', { messages: 2, of: { id: { uuids: 'AAAA' } } }],
    ['bytes of no length', { messages: 2, of: { id: { hex: 'AAAA', bytes: 0 } } }],
    ['a place that is none', { messages: 2, of: { id: { some: ['a'], at: [0, 1] } } }],
    ['an instant that is none', { messages: 2, of: { id: { instants: [0, 'x'] } } }],
    ['another prototype', JSON.parse('{"messages":2,"of":{"__proto__":{"same":1}}}')],
  ])('with %s are none', (_, body) => {
    expect(() => unpackColumns(body)).toThrow(ColumnError);
  });
});

const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const hexOf = (n: number): string => `0x${String(n).padStart(64, '0')}`;

function columns(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, { same: 0 }]));
}
function nested(depth: number): object {
  let column: object = { same: 0 };
  for (let n = 0; n < depth; n++) column = { of: { a: column } };
  return column;
}
