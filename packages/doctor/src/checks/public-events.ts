import type { Reader } from '../readers/reader.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import { type Survey, surveyAtOnce } from '../survey.ts';

type Ports = { readonly reader: Reader; readonly pageSize: number; readonly graceSeconds: number };

const restore =
  'the log is in no other place: restore the schema notifications from a backup (docs/operations.md, The log of public events is lost)';

type ConfirmedRow = { readonly is_missing: boolean };

/**
 * Stamping's confirmed stamps ↔ notifications: its inbox has what it took in the transaction that appended `stamp.confirmed`. The inbox remembers 30
 * days, so what is older is not judged, nor what a release without public events recorded.
 */
export const surveyConfirmedEvents = ({ reader, pageSize, graceSeconds }: Ports): Survey =>
  surveyTable<ConfirmedRow>({
    reader,
    pageSize,
    of: 'confirmed stamps by their public events',
    table: 'stamping.stamps',
    keys: [{ column: 'id', type: 'uuid' }],
    where: "status = 'confirmed'",
    columns: `coalesce(e.type_version >= 3 and e.recorded_at > clock_timestamp() - interval '29 days'
        and e.recorded_at < clock_timestamp() - make_interval(secs => $1)
        and not exists (select from notifications.inbox i
          where i.consumer = 'notifications' and i.message_id = e.message_id), false) as is_missing`,
    joins: `left join lateral (
      select message_id, type_version, recorded_at from stamping.events
      where stream = 'stamp-' || t.id and type = 'StampConfirmed' order by version desc limit 1) e on true`,
    parameters: [graceSeconds],
    judge: (rows) =>
      rows.flatMap((row) =>
        row.is_missing
          ? [
              {
                key: keyOf(row),
                subject: `stamp ${row.key[0]}`,
                what: 'is confirmed, notifications has not handled its StampConfirmed: it has no stamp.confirmed',
                remedy:
                  'is the consumer of notifications behind, is the relay of stamping, are there dead letters of events.stamps? Else publish its message again',
              },
            ]
          : [],
      ),
  });

type LogRow = { readonly follows: boolean; readonly counted: boolean; readonly in_order: boolean };

/** The log: each row follows the one before, and has as many events as it says, in the order of their sequence. */
export const surveyLog = ({ reader, pageSize }: Ports): Survey =>
  surveyTable<LogRow>({
    reader,
    pageSize,
    of: 'rows of the log of public events',
    table: 'notifications.log',
    keys: [
      { column: 'account', type: 'bytea' },
      { column: 'position', type: 'bigint' },
    ],
    columns: `t.position = t.events_count or exists (select from notifications.log p
        where p.account = t.account and p.position = t.position - t.events_count) as follows,
      json_array_length(t.events) = t.events_count as counted,
      not exists (select from (
        select (e.event->>'sequence')::bigint - lag((e.event->>'sequence')::bigint)
          over (partition by e.event->'data'->>'set_cid' order by e.place) as step
        from json_array_elements(t.events) with ordinality as e (event, place)) as s where s.step <> 1) as in_order`,
    judge: (rows) =>
      rows.flatMap((row) => {
        const what = judgeLogRow(row);
        const [account = '', position] = row.key;
        return what === undefined
          ? []
          : [{ key: keyOf(row), subject: `position ${position} of ${shown(account)}`, what, remedy: restore }];
      }),
  });

export function judgeLogRow({ follows, counted, in_order: inOrder }: LogRow): string | undefined {
  if (!follows) return 'follows no row of the log: events before it are missing';
  if (!counted) return 'has not as many events as it says';
  return inOrder ? undefined : 'has events of a collection whose sequence has a gap';
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

/** What waits for the public topic; and what is held back, since no broker takes it. */
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
