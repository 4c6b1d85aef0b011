import type { TestDatabase } from '@indelible/testing';

/**
 * Runs statements that damage tables, then `look`, and restores every row of these tables. References and triggers are
 * disabled meanwhile: the tests are not about damage through them.
 */
export async function withDamage<Result>(
  database: TestDatabase,
  damage: { readonly tables: readonly string[]; readonly sql: string },
  look: () => Promise<Result>,
): Promise<Result> {
  const client = await database.pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    for (const [i, table] of damage.tables.entries())
      await client.query(`create table public.kept_${i} as table ${table}`);
    try {
      const { rowCount } = await client.query(damage.sql);
      if (rowCount === 0) throw new Error(`damaged nothing: ${damage.sql}`);
      return await look();
    } finally {
      for (const [i, table] of damage.tables.entries()) {
        const { rows } = await client.query<{ list: string }>(
          `select string_agg(quote_ident(attname), ', ') as list from pg_attribute
           where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
          [table],
        );
        const columns = rows[0]?.list;
        await client.query(`delete from ${table}`);
        await client.query(
          `insert into ${table} (${columns}) overriding system value select ${columns} from public.kept_${i}`,
        );
        await client.query(`drop table public.kept_${i}`);
      }
    }
  } finally {
    client.release(true);
  }
}
