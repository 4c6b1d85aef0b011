import { foldName } from '@indelible/identifiers';
import type { Migration } from '@indelible/postgres';

/** Names with a dotless i were folded to those with an i: fold them again. No two names that differed before become the same. */
export const dotlessNames: Migration = {
  name: '0130-dotless-names',
  async up(knex) {
    const { rows } = await knex.raw(`select distinct name from collections where name like '%' || chr(305) || '%'`);
    for (const { name } of rows as { name: string }[])
      await knex.raw('update collections set folded_name = ? where name = ?', [foldName(name), name]);
  },
  // Names that only the dotless i keeps apart cannot be folded back into one.
  async down() {},
};
