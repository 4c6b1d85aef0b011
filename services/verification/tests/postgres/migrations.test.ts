import { migrate } from '@indelible/postgres';
import { DiedHere, dyingAfter, type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateVerification, migrations } from '../../src/migrate.ts';
import { schema } from '../../src/schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const rowsOf = async (text: string) => (await database.pool.query(text)).rows;

describe('a migration without a transaction', () => {
  it('continues after it was killed after any of its statements: the index by time is complete, names are folded', async () => {
    const untilNames = migrations.slice(0, -1);
    const [last] = migrations.slice(-1);
    const untilIndex = untilNames.slice(0, -1);
    await migrate({ url: database.url, schema, migrations: untilIndex });
    await database.pool.query(
      `insert into ${schema}.collections (account, cid, name, folded_name, is_public)
       select decode(lpad(to_hex(n / 2), 40, '0'), 'hex'), decode(lpad(to_hex(n), 64, '0'), 'hex'),
         case when n % 5000 = 0 then 'Sınır ' else 'Sinir ' end || n, 'sinir ' || n, true
       from generate_series(1, 12000) as n`,
    );
    await database.pool.query(
      `insert into ${schema}.commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time,
         transaction_hash, block_hash) select decode(lpad(to_hex(n), 64, '0'), 'hex'), '', 1, n, 0, '', n, '', ''
       from generate_series(1, 100) as n`,
    );
    for (const upTo of [untilNames, [...untilNames, last!]])
      for (let statements = 1, died = true; died; statements++) {
        const dying = dyingAfter(upTo.at(-1)!, statements);
        died = await migrate({ url: database.url, schema, migrations: [...upTo.slice(0, -1), dying] }).then(
          () => false,
          (error: unknown) => {
            expect(error).toBeInstanceOf(DiedHere);
            return true;
          },
        );
      }
    expect(await migrateVerification(database.url)).toEqual([]);
    expect(
      await rowsOf(
        `select count(*) filter (where i.indisvalid) as valid, count(*) as parts
         from pg_inherits h join pg_index i on i.indexrelid = h.inhrelid
         where h.inhparent = '${schema}.commitments_by_time'::regclass
           and (select indisvalid from pg_index where indexrelid = '${schema}.commitments_by_time'::regclass)`,
      ),
    ).toEqual([{ valid: 16, parts: 16 }]);
    expect(
      await rowsOf(`select name, folded_name from ${schema}.collections where folded_name like 'sı%' order by cid`),
    ).toEqual([5_000, 10_000].map((n) => ({ name: `Sınır ${n}`, folded_name: `sınır ${n}` })));
  });
});
