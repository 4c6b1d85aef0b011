import { dayMs, dayOf, firstIdOf, nameOf } from './inbox-day.ts';

/**
 * The statements that create a day's partition, to be run in one transaction: they move earlier rows of that day from
 * `inbox_default`, to which nobody can add meanwhile.
 */
export const statementsOfDay = (day: number): readonly string[] => {
  const name = nameOf(day);
  const [from, to] = [firstIdOf(day), firstIdOf(day + 1)].map((id) => `'${id}'`);
  return [
    `create table ${name} (like inbox including defaults, primary key (consumer, message_id))`,
    // Rows arrive in the order of age and are never deleted singly: ranges of pages suffice.
    `create index on ${name} using brin (handled_at) with (pages_per_range = 32)`,
    'lock table inbox_default in access exclusive mode',
    `with moved as (
       delete from inbox_default where message_id >= ${from} and message_id < ${to} returning consumer, message_id, handled_at)
     insert into ${name} (consumer, message_id, handled_at) select consumer, message_id, handled_at from moved`,
    `alter table inbox attach partition ${name} for values from (${from}) to (${to})`,
  ];
};

/** The days from `before` days ago until `ahead` days from now. */
export const daysAround = (now: number, before: number, ahead: number): readonly number[] => {
  const today = dayOf(now);
  return Array.from({ length: before + ahead + 1 }, (_, n) => today - before + n);
};

/** Whether all ids of a day are older than `age`. */
export const isOlderThan = (day: number, now: number, ageMs: number): boolean => (day + 1) * dayMs <= now - ageMs;
