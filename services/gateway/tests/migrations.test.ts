import { migrate } from '@indelible/postgres';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../src/migrate.ts';
import { dotlessNames } from '../src/migrations/0130-dotless-names.ts';
import { schema } from '../src/schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

describe('the migration of names with a dotless i', () => {
  it('folds them again and leaves the others as they are', async () => {
    const before = migrations.slice(0, migrations.indexOf(dotlessNames));
    await migrate({ url: database.url, schema, migrations: before });
    await database.pool.query(
      `insert into gateway.collections (id, account, cid, name, folded_name, is_pinned, is_public, registered_at)
       values (1, 'a', 'x', 'Sınır', 'sinir', false, true, now()), (2, 'b', 'y', 'SINIR', 'sinir', false, true, now())`,
    );
    await database.pool.query(
      `insert into gateway.collections (id, account, cid, name, folded_name, is_pinned, is_public, registered_at)
       select n, 'c', n, case when n % 5000 = 0 then 'Sınır ' else 'Sinir ' end || n, 'sinir ' || n, false, true, now()
       from generate_series(3, 12000) as n`,
    );
    await migrate({ url: database.url, schema, migrations });
    const { rows } = await database.pool.query(
      `select name, folded_name from gateway.collections where id < 3 or folded_name like 'sı%' order by id`,
    );
    expect(rows).toEqual([
      { name: 'Sınır', folded_name: 'sınır' },
      { name: 'SINIR', folded_name: 'sinir' },
      { name: 'Sınır 5000', folded_name: 'sınır 5000' },
      { name: 'Sınır 10000', folded_name: 'sınır 10000' },
    ]);
  });
});
