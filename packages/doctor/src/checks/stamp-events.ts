import { type ReceiptFields, receiptDifference } from '../decisions/compare-receipt.ts';
import type { Reader } from '../readers/reader.ts';
import { receiptOfStamp } from '../readers/receipt-columns.ts';
import { keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../survey.ts';

type Row = {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly receipt: ReceiptFields | null;
  readonly last: number | null;
  readonly type: string | null;
  readonly told: { readonly receipt?: ReceiptFields } | null;
};

/** Stamping's stamps ↔ the last event of each. */
export const surveyStampEvents = (ports: { reader: Reader; pageSize: number; chainId: number }): Survey =>
  surveyTable<Row>({
    reader: ports.reader,
    pageSize: ports.pageSize,
    of: 'stamps by their events',
    table: 'stamping.stamps',
    keys: [{ column: 'id', type: 'uuid' }],
    columns: `t.id, t.status, t.version, ${receiptOfStamp('$1')} as receipt, e.version as last, e.type, e.data as told`,
    joins: `left join lateral (
      select version, type, data from stamping.events where stream = 'stamp-' || t.id order by version desc limit 1) e on true`,
    parameters: [ports.chainId],
    judge: (rows) =>
      rows.flatMap((row) => {
        const told = judgeStampEvents(row);
        return told === undefined ? [] : [{ key: keyOf(row), subject: `stamp ${row.id}`, ...told }];
      }),
  });

/** What the last event says of the status. */
const statusesAfter: ReadonlyMap<string, readonly string[]> = new Map([
  ['StampRequested', ['requested', 'included']],
  ['StampReverted', ['requested', 'included']],
  ['StampConfirmed', ['confirmed']],
  ['StampFailed', ['failed']],
]);

export function judgeStampEvents(row: Row): { readonly what: string; readonly remedy: string } | undefined {
  const { status, version, last, type } = row;
  if (last !== version || type === null)
    return {
      what: `is at version ${version}, its events end with ${last ?? 'none'}`,
      remedy: 'restore the missing event from a backup of stamping.events, or put the row right by its last event',
    };
  const expected = statusesAfter.get(type);
  if (expected !== undefined && !expected.includes(status))
    return {
      what: `is ${status}, its last event is ${type}`,
      remedy: 'put the row right by its last event; the check stamps says what the chain has',
    };
  const fields = type === 'StampConfirmed' ? receiptDifference(row.receipt, row.told?.receipt) : [];
  return fields.length === 0
    ? undefined
    : {
        what: `its receipt and its StampConfirmed event differ in ${fields.join(', ')}`,
        remedy:
          'the check stamps says which of them the chain bears out: put the row right by the event when that is it',
      };
}
