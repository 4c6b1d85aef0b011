import { foldName } from '@indelible/identifiers';
import type { Migration } from '@indelible/postgres';

/** Rows that one statement reads. */
const pageRows = 5_000;

type Row = { account: Buffer; cid: Buffer; name: string };

/** Names with a dotless i were folded to those with an i: fold them again. No two names that differed before become the same. */
export const dotlessNames: Migration = {
  name: '0130-dotless-names',
  config: { transaction: false },
  async up(knex) {
    for (let after: readonly Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)]; ; ) {
      const page = await knex.raw(
        'select account, cid, name from collections where (account, cid) > (?, ?) order by account, cid limit ?',
        [...after, pageRows],
      );
      const rows: Row[] = page.rows;
      for (const { account, cid, name } of rows.filter((row) => row.name.includes('\u0131')))
        await knex.raw('update collections set folded_name = ? where account = ? and cid = ?', [
          foldName(name),
          account,
          cid,
        ]);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = [last.account, last.cid];
    }
  },
  // Names that only the dotless i keeps apart cannot be folded back into one.
  async down() {},
};
