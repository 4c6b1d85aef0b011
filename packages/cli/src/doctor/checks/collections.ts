import type { Reader } from '../readers/reader.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../running/survey.ts';

type Ports = { readonly reader: Reader; readonly pageSize: number; readonly graceSeconds: number };

type Row = {
  readonly id: number;
  /** Names of the fields that differ; null when the view lacks the collection. */
  readonly in_gateway: readonly string[] | null;
  readonly in_verification: readonly string[] | null;
};

const rebuild = (view: string): string => `indelible rebuild ${view}`;
const differing = (...fields: readonly (readonly [name: string, equal: string])[]): string =>
  `array_remove(array[${fields.map(([name, equal]) => `case when ${equal} then null else '${name}' end`).join(', ')}], null)`;

/** Stamping's collections ↔ those of the gateway and of verification. Those younger than the grace are skipped. */
export const surveyCollections = ({ reader, pageSize, graceSeconds }: Ports): Survey =>
  surveyTable<Row>({
    reader,
    pageSize,
    of: 'collections',
    table: 'stamping.collections',
    keys: [{ column: 'id', type: 'bigint' }],
    where: `exists (select from stamping.events e where e.stream = 'collection-' || collections.id
        and e.version = collections.version and e.recorded_at < clock_timestamp() - make_interval(secs => $1))`,
    columns: `t.id,
      case when g.id is not null then ${differing(
        ['account', `g.account = ${hex('t.account')}`],
        ['cid', `g.cid = ${hex('t.cid')}`],
        ['name', 'g.name = t.name and g.folded_name = t.name_folded'],
        ['description', 'g.description is not distinct from t.description'],
        ['pinning', 'g.is_pinned = t.is_pinned'],
        ['created', 'g.created = t.is_created'],
      )} end as in_gateway,
      case when v.cid is not null then ${differing(
        ['name', 'v.name = t.name and v.folded_name = t.name_folded'],
        ['publicity', 'v.is_public = coalesce(g.is_public, v.is_public)'],
      )} end as in_verification`,
    joins: `left join gateway.collections g on g.id = t.id
      left join verification.collections v on v.account = t.account and v.cid = t.cid`,
    parameters: [graceSeconds],
    judge: (rows) =>
      rows.flatMap((row) =>
        (
          [
            ['gateway', row.in_gateway],
            ['verification', row.in_verification],
          ] as const
        ).flatMap(([who, fields]) => {
          if (fields?.length === 0) return [];
          const what = fields === null ? `${who} does not have it` : `${who} has another ${fields.join(', ')}`;
          return [{ key: keyOf(row), subject: `collection ${row.id}`, what, remedy: rebuild(`${who}.collections`) }];
        }),
      ),
  });

type SurplusRow = { readonly is_known: boolean };

/** The collections of the gateway and of verification ↔ stamping: no surplus. */
export const surveySurplusCollections = ({ reader, pageSize }: Ports): readonly Survey[] => [
  surveyTable<SurplusRow>({
    reader,
    pageSize,
    of: 'collections of the gateway',
    table: 'gateway.collections',
    keys: [{ column: 'id', type: 'bigint' }],
    columns: 'exists (select from stamping.collections c where c.id = t.id) as is_known',
    judge: surplus('gateway.collections'),
  }),
  surveyTable<SurplusRow>({
    reader,
    pageSize,
    of: 'collections of verification',
    table: 'verification.collections',
    keys: [
      { column: 'account', type: 'bytea' },
      { column: 'cid', type: 'bytea' },
    ],
    columns: 'exists (select from stamping.collections c where c.account = t.account and c.cid = t.cid) as is_known',
    judge: surplus('verification.collections'),
  }),
];

const surplus = (view: string) => (rows: readonly (SurplusRow & { readonly key: readonly string[] })[]) =>
  rows.flatMap((row) =>
    row.is_known
      ? []
      : [
          {
            key: keyOf(row),
            subject: `collection ${row.key.map((part) => part.replace('\\x', '0x')).join(' ')}`,
            what: `is in ${view}, stamping has none such`,
            remedy: rebuild(view),
          },
        ],
  );
