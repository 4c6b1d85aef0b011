import { createLogger } from '@indelible/service-runtime';
import { testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { arrayOf, createDatabase, type Database } from '../src/index.ts';

let stored: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
beforeAll(async () => {
  stored = await testDatabase();
  const logger = createLogger({ service: 'test', level: 'silent' });
  database = createDatabase({ url: stored.url, schema: 'public', applicationName: 'test', logger });
});
afterAll(async () => {
  await database.close();
  await stored.drop();
});

const cid = `0x${'0123456789abcdef'.repeat(4)}`;
const uuid = '01931f5e-ABCD-7123-8abc-0123456789ef';
const samples: readonly [type: keyof typeof arrayOf, items: readonly unknown[], asText: readonly string[]][] = [
  ['boolean', [true, false], ['true', 'false']],
  ['bytea', [cid, '0x', '0xFF00'], [`\\${cid.slice(1)}`, '\\x', '\\xff00']],
  [
    'bigint',
    [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    ['0', '-1', '9007199254740991', '-9007199254740991'],
  ],
  ['smallint', [0, -32_768, 32_767], ['0', '-32768', '32767']],
  ['int', [0, -(2 ** 31), 2 ** 31 - 1], ['0', '-2147483648', '2147483647']],
  ['text', ['', 'NULL', '{"a, b\\"}', 'Zoë 🕰'], ['', 'NULL', '{"a, b\\"}', 'Zoë 🕰']],
  ['json', ['{"a": "ü\\n"}', 'null'], ['{"a": "ü\\n"}', 'null']],
  ['jsonb', ['{"a":"ü"}', '[1]'], ['{"a": "ü"}', '[1]']],
  [
    'timestamptz',
    ['2026-11-21T10:20:30.456Z', new Date('1999-12-31T23:59:59.999Z'), '2026-11-21T10:20:30+02:00'],
    ['2026-11-21 10:20:30.456+00', '1999-12-31 23:59:59.999+00', '2026-11-21 08:20:30+00'],
  ],
  ['uuid', [uuid], [uuid.toLowerCase()]],
];

it.each(samples)(
  'Postgres reads an array of %s as it was given, nulls and order included',
  async (type, items, asText) => {
    const given = [null, ...items, undefined];
    const { rows } = await database.query<{ item: string | null }>(
      `select item::text as item from unnest($1::${type}[]) with ordinality as u (item, place) order by place`,
      [(arrayOf[type] as (items: readonly unknown[]) => Buffer)(given)],
    );
    expect(rows.map(({ item }) => item)).toEqual([null, ...asText, null]);
  },
);

it.each(samples)('an empty array of %s is empty', async (type) => {
  const { rows } = await database.query(`select cardinality($1::${type}[]) as count`, [arrayOf[type]([])]);
  expect(rows).toEqual([{ count: 0 }]);
});

it.each<[keyof typeof arrayOf, unknown]>([
  ['bytea', cid.slice(2)],
  ['bytea', `${cid}0`],
  ['bytea', `${cid.slice(0, -1)}x`],
  ['bigint', 0.5],
  ['bigint', 2 ** 53],
  ['smallint', 2 ** 15],
  ['int', 2 ** 31],
  ['timestamptz', 'yesterday'],
  ['uuid', uuid.slice(1)],
  ['uuid', uuid.replace('A', 'x')],
])('%s does not hold %p', (type, item) => {
  expect(() => (arrayOf[type] as (items: readonly unknown[]) => Buffer)([item])).toThrow();
});
