import { buildIndex, type Migration } from '@indelible/postgres';

/** The order in which the relay publishes from `settledPosition` on. */
export const eventsByPosition: Migration = {
  name: '0005-events-by-position',
  config: { transaction: false },
  async up(knex) {
    await buildIndex(knex, 'events_by_position', 'events', '(position)');
  },
  async down(knex) {
    await knex.raw('drop index events_by_position');
  },
};
