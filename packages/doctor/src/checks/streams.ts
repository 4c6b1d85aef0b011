import type { Reader } from '../readers/reader.ts';
import { keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../survey.ts';

type Row = {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly follows: boolean;
  /** Whether each rule of the schema holds of the event. */
  readonly holds: readonly boolean[];
};

/** What an event, `t`, must have come to; as SQL. `$1` is the grace in seconds. */
type Rule = { readonly holds: string; readonly what: string; readonly remedy: string };

/** A schema with an event store. */
export type EventSchema = {
  readonly schema: 'accounts' | 'chain' | 'stamping' | 'storage';
  /** Published events go: a stream may begin with any version. */
  readonly isPruned?: boolean;
  readonly rules?: readonly Rule[];
};

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Rules read ids out of names and data: only where they are of the expected kind. */
const when = (condition: string, then: string): string => `case when ${condition} then ${then} else true end`;
const isYoung = 't.recorded_at > clock_timestamp() - make_interval(secs => $1)';
/** Requests that made no stamp are forgotten after 30 days, by the gateway and by stamping, each when it comes to it. */
const isForgotten = "t.recorded_at < clock_timestamp() - interval '29 days'";
const restore = 'restore the row from a backup, by its events';
const rebuild = 'indelible rebuild gateway.stamps';

export const eventSchemas: readonly EventSchema[] = [
  { schema: 'accounts' },
  { schema: 'chain', isPruned: true },
  {
    schema: 'stamping',
    rules: [
      {
        holds: when(
          `t.version = 1 and t.stream ~ '^stamp-${uuid}$'`,
          'exists (select from stamping.stamps s where s.id = substr(t.stream, 7)::uuid)',
        ),
        what: 'tells of a stamp that is not in stamping.stamps',
        remedy: restore,
      },
      {
        holds: when(
          `t.type = 'StampRequestJoined' and t.stream ~ '^request-${uuid}$'`,
          `${isYoung} or ${isForgotten} or exists (select from gateway.stamp_aliases a
             where a.request_id = substr(t.stream, 9)::uuid and a.stamp_id::text = t.data->>'stampId')`,
        ),
        what: 'tells of a request that joined a stamp, the gateway does not know it',
        remedy: rebuild,
      },
      {
        holds: when(
          `t.type = 'StampRequestRefused' and t.stream ~ '^request-${uuid}$'`,
          `${isYoung} or ${isForgotten} or exists (select from gateway.stamps g
             where g.id = substr(t.stream, 9)::uuid and g.refusal is not null)`,
        ),
        what: 'tells of a request that was refused, the gateway does not know it',
        remedy: rebuild,
      },
    ],
  },
  {
    schema: 'storage',
    rules: [
      {
        holds: when(
          `t.version = 1 and t.stream ~ '^file-${uuid}$'`,
          `exists (select from storage.files f where f.stamp_id = substr(t.stream, 6)::uuid and f.status = 'success')`,
        ),
        what: 'tells of a stored file that is not in storage.files',
        remedy: restore,
      },
    ],
  },
];

/** The event store of a schema: every stream without a gap, and each event's effect where it must be. */
export const surveyStreams = (
  { reader, pageSize, graceSeconds }: { reader: Reader; pageSize: number; graceSeconds: number },
  { schema, isPruned = false, rules = [] }: EventSchema,
): Survey =>
  surveyTable<Row>({
    reader,
    pageSize,
    of: `events of ${schema}`,
    table: `${schema}.events`,
    keys: [
      { column: 'stream', type: 'text' },
      { column: 'version', type: 'int' },
    ],
    columns: `t.stream, t.version, t.type,
      t.version = 1 or exists (select from ${schema}.events p where p.stream = t.stream and p.version = t.version - 1)
        ${isPruned ? `or not exists (select from ${schema}.events p where p.stream = t.stream and p.version < t.version)` : ''}
        as follows,
      array[${rules.map(({ holds }) => holds).join(', ')}]::boolean[] as holds`,
    // Postgres refuses a parameter that nothing uses.
    parameters: rules.some(({ holds }) => holds.includes('$1')) ? [graceSeconds] : [],
    judge: (rows) =>
      rows.flatMap((row) => {
        const at = { key: keyOf(row), subject: `stream ${row.stream}` };
        const remedy = `restore it from a backup of ${schema}.events: nothing else has what it told; its message may still be in the topic`;
        return [
          ...(row.follows ? [] : [{ ...at, what: `version ${row.version - 1} is missing`, remedy }]),
          ...rules.flatMap((rule, i) =>
            row.holds[i] === false ? [{ ...at, what: `its ${row.type} ${rule.what}`, remedy: rule.remedy }] : [],
          ),
        ];
      }),
  });
