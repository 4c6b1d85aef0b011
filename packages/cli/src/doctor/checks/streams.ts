import type { Reader } from '../readers/reader.ts';
import { keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../running/survey.ts';

type Row = {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly follows: boolean;
  /** Whether each rule of the schema holds of the event. */
  readonly holds: readonly boolean[];
};

/** The required effect of an event, `t`, as SQL. */
type Rule = { readonly holds: string; readonly what: string; readonly remedy: string };

/** A schema with an event store. */
export type EventSchema = {
  readonly schema: 'accounts' | 'chain' | 'stamping' | 'storage';
  /** Published events go: streams may begin with any version. */
  readonly isPruned?: boolean;
  /** Streams whose events may also be in shared rows, as SQL: another survey looks for gaps in them. */
  readonly shared?: string;
  readonly rules?: readonly Rule[];
};

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Rules read ids out of names and data: only where they are of the expected kind. */
const when = (condition: string, then: string): string => `case when ${condition} then ${then} else true end`;
const restore = 'restore the row from a backup, by its events';

export const eventSchemas: readonly EventSchema[] = [
  { schema: 'accounts' },
  { schema: 'chain', isPruned: true },
  {
    schema: 'stamping',
    shared: "t.stream like 'stamp-%'",
    rules: [
      {
        holds: when(
          `t.version = 1 and t.stream ~ '^stamp-${uuid}$'`,
          'exists (select from stamping.stamps s where s.id = substr(t.stream, 7)::uuid)',
        ),
        what: 'names a stamp that is not in stamping.stamps',
        remedy: restore,
      },
      {
        holds: when(
          `t.type = 'StampRequestJoined' and t.stream ~ '^request-${uuid}$'`,
          "exists (select from stamping.stamps s where s.id = (t.data->>'stampId')::uuid)",
        ),
        what: 'names a stamp which is not in stamping.stamps',
        remedy: restore,
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
        what: 'names a stored file that is not in storage.files',
        remedy: restore,
      },
    ],
  },
];

/** The event store of a schema: every stream without a gap, and each event's effect where it must be. */
export const surveyStreams = (
  { reader, pageSize }: { reader: Reader; pageSize: number },
  { schema, isPruned = false, shared = 'false', rules = [] }: EventSchema,
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
      t.version = 1 or ${shared} or exists (select from ${schema}.events p where p.stream = t.stream and p.version = t.version - 1)
        ${isPruned ? `or not exists (select from ${schema}.events p where p.stream = t.stream and p.version < t.version)` : ''}
        as follows,
      array[${rules.map(({ holds }) => holds).join(', ')}]::boolean[] as holds`,
    parameters: [],
    judge: (rows) =>
      rows.flatMap((row) => {
        const at = { key: keyOf(row), subject: `stream ${row.stream}` };
        const remedy = `restore it from a backup of ${schema}.events: nothing else has its content; its message may still be in the topic`;
        return [
          ...(row.follows ? [] : [{ ...at, what: `version ${row.version - 1} is missing`, remedy }]),
          ...rules.flatMap((rule, i) =>
            row.holds[i] === false ? [{ ...at, what: `its ${row.type} ${rule.what}`, remedy: rule.remedy }] : [],
          ),
        ];
      }),
  });
