import { buildIndex, type Migration } from '@indelible/postgres';

/** The record of the messages in a row of several events. Not compressed: that would not make it shorter. */
export const records: Migration = {
  name: '0007-records',
  async up(knex) {
    await knex.raw(
      'alter table events add column record bytea; alter table events alter column record set storage external;',
    );
  },
  async down(knex) {
    await knex.raw('alter table events drop column record');
  },
};

/** Where rows with records are found, one after the other: an entry for many events. */
export const eventsWithRecords: Migration = {
  name: '0008-events-with-records',
  config: { transaction: false },
  async up(knex) {
    await buildIndex(knex, 'events_with_records', 'events', '(position, stream) where record is not null');
  },
  async down(knex) {
    await knex.raw('drop index events_with_records');
  },
};
