import { ColumnError, fromPackRow, type StoredPack } from '@indelible/messages';
import { fromLogBody, setOf } from '@indelible/public-events';
import { mostPacks } from '../readers/packs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import { type Survey, surveyAtOnce } from '../running/survey.ts';

type Ports = { readonly reader: Reader; readonly pageSize: number; readonly graceSeconds: number };

const restore =
  'the log is in no other place: restore the schema notifications from a backup (docs/operations.md, The log of public events is lost)';

type ConfirmedRow = {
  /** Null in rows that are not judged. */
  readonly message_id: string | null;
  readonly data: StoredPack | { readonly stampId: string };
  readonly record: Buffer | null;
};

/**
 * Stamping's confirmations ↔ notifications: the transaction that appends `stamp.confirmed` also writes its inbox. The
 * inbox remembers 30 days, so what is older is not judged, nor what a release without public events recorded.
 */
export const surveyConfirmedEvents = ({ reader, pageSize, graceSeconds }: Ports): Survey =>
  surveyTable<ConfirmedRow>({
    reader,
    pageSize: Math.min(pageSize, mostPacks),
    of: 'events of stamping by their public events',
    table: 'stamping.events',
    keys: [
      { column: 'position', type: 'bigint' },
      { column: 'stream', type: 'text' },
    ],
    columns: 'j.message_id, j.data, j.record',
    // No index has the types and times of events: each row of a page is examined, and few are read.
    joins: `left join lateral (select t.message_id, t.data, t.record
      where t.type = 'StampConfirmed' and t.type_version >= 3 and t.recorded_at > clock_timestamp() - interval '29 days'
        and t.recorded_at < clock_timestamp() - make_interval(secs => $1)) as j on true`,
    parameters: [graceSeconds],
    async judge(rows) {
      const confirmations = rows.flatMap((row) => confirmationsOf(row).map((one) => ({ ...one, key: keyOf(row) })));
      const handled = await reader.query<{ id: string }>(
        `select message_id as id from notifications.inbox where consumer = 'notifications' and message_id = any($1::uuid[])`,
        [confirmations.map(({ id }) => id)],
      );
      const known = new Set(handled.map(({ id }) => id));
      return confirmations.flatMap(({ id, stampId, key }) =>
        known.has(id)
          ? []
          : [
              {
                key,
                subject: `stamp ${stampId}`,
                what: 'is confirmed, notifications has not handled its StampConfirmed: it has no stamp.confirmed',
                remedy:
                  'is the consumer of notifications behind, is the relay of stamping, are there dead letters of events.stamps? Else publish its message again',
              },
            ],
      );
    },
  });

/** The messages of a row, which several may share. */
const confirmationsOf = ({ message_id: id, data, record }: ConfirmedRow): { id: string; stampId: string }[] =>
  id === null
    ? []
    : record === null
      ? [{ id, stampId: (data as { readonly stampId: string }).stampId }]
      : fromPackRow({ data: data as StoredPack, record }).map((event) => ({
          id: event.id,
          stampId: (event.data as { readonly stampId: string }).stampId,
        }));

type LogRow = { readonly follows: boolean; readonly events_count: number; readonly events: unknown };

/** Each has up to 200 events. */
const mostLogRows = 100;

/** The log: each row follows the one before, and has as many events as it says, in the order of their sequence. */
export const surveyLog = ({ reader, pageSize }: Ports): Survey =>
  surveyTable<LogRow>({
    reader,
    pageSize: Math.min(pageSize, mostLogRows),
    of: 'rows of the log of public events',
    table: 'notifications.log',
    keys: [
      { column: 'account', type: 'bytea' },
      { column: 'position', type: 'bigint' },
    ],
    columns: `t.position = t.events_count or exists (select from notifications.log p
        where p.account = t.account and p.position = t.position - t.events_count) as follows,
      t.events_count, t.events`,
    judge: (rows) =>
      rows.flatMap((row) => {
        const what = judgeLogRow(row);
        const [account = '', position] = row.key;
        return what === undefined
          ? []
          : [{ key: keyOf(row), subject: `position ${position} of ${shown(account)}`, what, remedy: restore }];
      }),
  });

export function judgeLogRow({ follows, events_count: count, events: body }: LogRow): string | undefined {
  if (!follows) return 'follows no row of the log: events before it are missing';
  try {
    const events = fromLogBody(body);
    if (events.length !== count) return 'has not as many events as it says';
    const last = new Map<string, number>();
    for (const event of events) {
      const set = setOf(event);
      if (event.sequence !== (last.get(set) ?? event.sequence - 1) + 1)
        return 'has events of a collection whose sequence has a gap';
      last.set(set, event.sequence);
    }
    return undefined;
  } catch (error) {
    if (error instanceof ColumnError) return `cannot be read: ${error.message}`;
    throw error;
  }
}

type AccountRow = { readonly position: number; readonly last: number; readonly sequences: number };

/** The counters: an account's position is that of its last event, and each event took one number of one sequence. */
export const surveyLogCounters = ({ reader, pageSize }: Ports): Survey =>
  surveyTable<AccountRow>({
    reader,
    pageSize,
    of: 'accounts by their public events',
    table: 'notifications.accounts',
    keys: [{ column: 'account', type: 'bytea' }],
    columns: `t.position,
      coalesce((select position from notifications.log where account = t.account order by position desc limit 1), 0) as last,
      coalesce((select sum(last) from notifications.sequences where account = t.account), 0)::float8 as sequences`,
    judge: (rows) =>
      rows.flatMap((row) => {
        const what = judgeCounters(row);
        return what === undefined
          ? []
          : [{ key: keyOf(row), subject: `account ${shown(row.key[0] ?? '')}`, what, remedy: restore }];
      }),
  });

export function judgeCounters({ position, last, sequences }: AccountRow): string | undefined {
  if (position !== last) return `is at position ${position}, its log ends with ${last}`;
  return sequences === last ? undefined : `has ${last} events, its sequences count ${sequences}`;
}

/** As Postgres writes a bytea: `\\x…`. */
const shown = (bytes: string): string => bytes.replace('\\x', '0x');

/** Events waiting for the public topic; and those held back as unpublishable. */
export const surveyUnpublished = ({ reader, graceSeconds }: Pick<Ports, 'reader' | 'graceSeconds'>): Survey =>
  surveyAtOnce('the oldest unpublished events', async () => {
    const rows = await reader.query<{ account: string; held: boolean; age: number }>(
      `select ${hex('u.account')} as account, u.held, extract(epoch from clock_timestamp() - l.appended_at)::float8 as age
       from (
         (select account, position, held from notifications.unpublished where not held order by ordinal limit 1)
         union all
         (select account, position, held from notifications.unpublished where held order by account, position limit 1)
       ) as u join notifications.log l on l.account = u.account and l.position = u.position`,
    );
    const differences = rows
      .filter(({ age }) => age > graceSeconds)
      .map(({ account, held, age }) => ({
        key: held ? 'held' : 'waiting',
        subject: `the public topic, events of ${account}`,
        what: `the oldest that ${held ? 'is held back' : 'waits'} is ${Math.round(age)} s old`,
        remedy: held
          ? 'the log of notifications names why no broker takes it; it is tried again each minute'
          : 'does Kafka answer, and does notifications run? Its log names what fails; it goes on by itself',
      }));
    return { looked: rows.length, differences };
  });
