import type { Migration } from '@indelible/postgres';

/** A lane that takes nothing new, and that nobody holds once its batches are final: `indelible lanes drain`. */
export const draining: Migration = {
  name: '0161-draining',
  async up(knex) {
    await knex.raw('alter table lanes add column if not exists draining boolean not null default false');
  },
  async down(knex) {
    await knex.raw('alter table lanes drop column draining');
  },
};
