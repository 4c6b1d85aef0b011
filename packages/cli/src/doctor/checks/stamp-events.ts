import { type ReceiptFields, receiptDifference } from '../decisions/compare-receipt.ts';
import { createEventSums } from '../decisions/event-sums.ts';
import { type PackedEvent, readPacks } from '../readers/packs.ts';
import type { Query, Reader } from '../readers/reader.ts';
import { receiptOfStamp } from '../readers/receipt-columns.ts';
import type { Difference, Survey } from '../running/survey.ts';

type Ports = { readonly reader: Reader; readonly pageSize: number; readonly chainId: number };

/** A stamp, and the events that have rows of their own. */
type StampRow = {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly receipt: ReceiptFields | null;
  readonly own: readonly StampEvent[] | null;
};

/** An event; its receipt when it is a confirmation. */
export type StampEvent = { readonly version: number; readonly type: string; readonly receipt: ReceiptFields | null };

/** At most so many suspects are examined: more are not single missing events. */
const mostSuspects = 10_000;

/**
 * Stamping's stamps ↔ their events, in single or shared rows: each stamp has every version, and the last matches its
 * row. All in one snapshot. Events in shared rows have no index by stamp: sums show which stamps may lack one, and a
 * second read which do.
 */
export function surveyStampEvents(ports: Ports): Survey {
  const { reader, pageSize } = ports;
  return {
    of: 'stamps by their events',
    async *all() {
      const { looked, suspects } = await reader.snapshot(async (query) => {
        const suspects = new Set<string>();
        const sums = createEventSums();
        let looked = 0;
        for await (const rows of readStamps(query, ports)) {
          looked += rows.length;
          for (const row of rows) {
            const own = row.own ?? [];
            for (let version = 1; version <= row.version; version++)
              if (own.every((event) => event.version !== version)) sums.expect(row.id, version);
            if (isSuspect(row, own)) suspects.add(row.id);
          }
        }
        for await (const events of readPacks(query, pageSize)) {
          const rows = await readStampsById(query, ports, [...new Set(events.map(({ stampId }) => stampId))]);
          const byId = new Map(rows.map((row) => [row.id, row]));
          for (const event of events) {
            sums.found(event.stampId, event.version);
            const row = byId.get(event.stampId);
            if (row === undefined || (row.version === event.version && !isAsItsLast(row, [toStampEvent(event)])))
              suspects.add(event.stampId);
          }
          if (suspects.size > mostSuspects) return { looked, suspects };
        }
        if (sums.isWhole()) return { looked, suspects };
        for await (const rows of readStamps(query, ports)) {
          for (const { id } of rows) if (sums.differs(id)) suspects.add(id);
          if (suspects.size > mostSuspects) break;
        }
        return { looked, suspects };
      });
      const keys = [...suspects];
      const differences: Difference[] = [];
      for (let at = 0; at < keys.length; at += pageSize)
        differences.push(...(await judgeStamps(ports, keys.slice(at, at + pageSize))));
      yield { looked, differences };
    },
    again: (keys) => judgeStamps(ports, keys),
  };
}

/** Stamps with all of their events. */
const judgeStamps = ({ reader, ...ports }: Ports, ids: readonly string[]): Promise<readonly Difference[]> =>
  reader.snapshot(async (query) => {
    const events = new Map<string, StampEvent[]>(ids.map((id) => [id, []]));
    for await (const page of readPacks(query, ports.pageSize))
      for (const event of page) events.get(event.stampId)?.push(toStampEvent(event));
    const rows = new Map((await readStampsById(query, ports, ids)).map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = rows.get(id);
      const found = judgeStampEvents(row, [...(events.get(id) ?? []), ...(row?.own ?? [])]);
      return found.map((one) => ({ key: id, subject: `stamp ${id}`, ...one }));
    });
  });

const toStampEvent = ({ version, type, data }: PackedEvent): StampEvent => ({
  version,
  type,
  receipt: (data.receipt as ReceiptFields | undefined) ?? null,
});

/**
 * Whether the stamp's row and its events with rows of their own already differ: no sum has a version above the stamp's.
 */
export const isSuspect = (row: Omit<StampRow, 'own'>, own: readonly StampEvent[]): boolean =>
  own.some(({ version }) => version > row.version) ||
  (own.some(({ version }) => version === row.version) && !isAsItsLast(row, own));

const isAsItsLast = (row: Omit<StampRow, 'own'>, events: readonly StampEvent[]): boolean =>
  judgeLast(
    row,
    events.find(({ version }) => version === row.version),
  ).length === 0;

const stampColumns = `t.id, t.status, t.version, ${receiptOfStamp('$1')} as receipt, (
  select json_agg(json_build_object('version', e.version, 'type', e.type, 'receipt', e.data->'receipt'))
  from stamping.events e where e.stream = 'stamp-' || t.id) as own`;

async function* readStamps(
  query: Query,
  { chainId, pageSize }: Omit<Ports, 'reader'>,
): AsyncGenerator<readonly StampRow[]> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await query<StampRow>(
      `select ${stampColumns} from (select * from stamping.stamps where id > $2 order by id limit ${pageSize}) t order by t.id`,
      [chainId, after],
    );
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.id;
  }
}

async function readStampsById(
  query: Query,
  { chainId, pageSize }: Omit<Ports, 'reader'>,
  ids: readonly string[],
): Promise<readonly StampRow[]> {
  const found: StampRow[] = [];
  for (let at = 0; at < ids.length; at += pageSize)
    found.push(
      ...(await query<StampRow>(`select ${stampColumns} from stamping.stamps t where t.id = any($2::uuid[])`, [
        chainId,
        ids.slice(at, at + pageSize),
      ])),
    );
  return found;
}

type Found = { readonly what: string; readonly remedy: string };

/** What the last event says of the status. */
const statusesAfter: ReadonlyMap<string, readonly string[]> = new Map([
  ['StampRequested', ['requested', 'included']],
  ['StampReverted', ['requested', 'included']],
  ['StampConfirmed', ['confirmed']],
  ['StampFailed', ['failed']],
]);

const missing = 'restore the missing event from a backup of stamping.events, or put the row right by its last event';

/** @param row undefined when there is no such stamp */
export function judgeStampEvents(
  row: Omit<StampRow, 'own'> | undefined,
  events: readonly StampEvent[],
): readonly Found[] {
  if (row === undefined)
    return events
      .filter(({ version }) => version === 1)
      .map(({ type }) => ({
        what: `its ${type} names a stamp that is not in stamping.stamps`,
        remedy: 'restore the row from a backup, by its events',
      }));
  const versions = new Set(events.map(({ version }) => version));
  const last = Math.max(0, ...versions);
  if (last !== row.version)
    return [{ what: `is at version ${row.version}, its events end with ${last || 'none'}`, remedy: missing }];
  const gaps = Array.from({ length: row.version }, (_, i) => i + 1).filter((version) => !versions.has(version));
  const doubled = [...versions].filter((one) => events.filter(({ version }) => version === one).length > 1);
  return [
    ...doubled.map((version) => ({
      what: `the event of version ${version} is stored more than once`,
      remedy: 'compare the rows of stamping.events that have it with a backup, and keep it in one of them',
    })),
    ...gaps.map((version) => ({ what: `the event of version ${version} is missing`, remedy: missing })),
    ...judgeLast(
      row,
      events.find(({ version }) => version === last),
    ),
  ];
}

function judgeLast({ status, receipt }: Omit<StampRow, 'own'>, last: StampEvent | undefined): readonly Found[] {
  if (last === undefined) return [];
  const { type } = last;
  const expected = statusesAfter.get(type);
  if (expected !== undefined && !expected.includes(status))
    return [
      {
        what: `is ${status}, its last event is ${type}`,
        remedy: 'put the row right by its last event; the check stamps says what the chain has',
      },
    ];
  const fields = type === 'StampConfirmed' ? receiptDifference(receipt, last.receipt) : [];
  return fields.length === 0
    ? []
    : [
        {
          what: `its receipt and its StampConfirmed event differ in ${fields.join(', ')}`,
          remedy:
            'the check stamps says which of them the chain bears out: put the row right by the event when that is it',
        },
      ];
}
