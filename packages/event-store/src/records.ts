import { buildIndex, type Migration } from '@indelible/postgres';

/** Of a row that holds several events: the record of their messages. It does not get shorter by compression, so that is not tried. */
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
