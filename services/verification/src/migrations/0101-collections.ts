import type { Migration } from '@indelible/postgres';

/** Whose sets have which names, and which of them are public. */
export const collectionsMigration: Migration = {
  name: '0101-collections',
  async up(knex) {
    await knex.raw(`
      create table collections (
        account bytea not null,
        cid bytea not null,
        name text not null,
        folded_name text not null,
        is_public boolean not null,
        primary key (account, cid)
      );
      create index collections_by_name on collections (folded_name, account);
      create index collections_by_cid on collections (cid);
    `);
  },
  async down(knex) {
    await knex.raw('drop table collections');
  },
};
