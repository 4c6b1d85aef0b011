import { buildIndex, type Migration } from '@indelible/postgres';

/** Where events of requests that made no stamp are found by age: they are forgotten, so that retries do not fill the store. */
export const requestEvents: Migration = {
  name: '0113-request-events',
  config: { transaction: false },
  async up(knex) {
    await buildIndex(
      knex,
      'events_of_requests',
      'events',
      `(recorded_at) where type in ('StampRequestRefused', 'StampRequestJoined')`,
    );
  },
  async down(knex) {
    await knex.raw('drop index events_of_requests');
  },
};
