import { foldName } from '@indelible/identifiers';
import type { Migration } from '@indelible/postgres';

/** So many rows are read by a statement. */
const pageRows = 5_000;

/** Names with a dotless i were folded to those with an i: fold them again. No two names that differed before become the same. */
export const dotlessNames: Migration = {
  name: '0130-dotless-names',
  config: { transaction: false },
  async up(knex) {
    for (let after = '0'; ; ) {
      const page = await knex.raw(
        'select max(id) as last from (select id from collections where id > ? order by id limit ?) as page',
        [after, pageRows],
      );
      const last: string | null = page.rows[0].last;
      if (last === null) return;
      const { rows } = await knex.raw(
        `select id, name from collections where id > ? and id <= ? and name like '%' || chr(305) || '%'`,
        [after, last],
      );
      for (const { id, name } of rows as { id: string; name: string }[])
        await knex.raw('update collections set folded_name = ? where id = ?', [foldName(name), id]);
      after = last;
    }
  },
  // Names that only the dotless i keeps apart cannot be folded back into one.
  async down() {},
};
