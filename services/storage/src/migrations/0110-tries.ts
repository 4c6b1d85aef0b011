import { buildIndex, type Migration } from '@indelible/postgres';

/**
 * `tries`: how often a file could not be moved while the blob store was available for others; `try_after`: when it is tried again, by
 * the retries and not by its message.
 */
export const triesMigration: Migration = {
  name: '0110-tries',
  config: { transaction: false },
  async up(knex) {
    for (const [table, key] of [
      ['files', 'stamp_id'],
      ['non_confirmed', 'request_id'],
    ] as const) {
      await knex.raw(`
        alter table ${table} add column if not exists tries smallint not null default 0,
          add column if not exists try_after timestamptz`);
      const due = `(try_after, ${key}) where status = 'pending' and try_after is not null`;
      await buildIndex(knex, `${table}_due`, table, due);
    }
  },
  async down(knex) {
    for (const table of ['files', 'non_confirmed'])
      await knex.raw(`drop index ${table}_due; alter table ${table} drop column tries, drop column try_after;`);
  },
};
