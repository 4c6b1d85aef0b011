import type { Reader } from '../readers/reader.ts';
import { keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../survey.ts';

type Row = {
  readonly id: string;
  readonly status: string;
  /** Seconds. */
  readonly age: number;
  readonly batch_status: string | null;
  readonly is_of_batch: boolean;
};

/** Stamps ↔ their batches; and those that do not come to an end (I6). */
export const surveyStamps = ({
  reader,
  pageSize,
  overdueSeconds,
}: {
  reader: Reader;
  pageSize: number;
  overdueSeconds: number;
}): Survey =>
  surveyTable<Row>({
    reader,
    pageSize,
    of: 'stamps',
    table: 'stamping.stamps',
    keys: [{ column: 'id', type: 'uuid' }],
    columns: `t.id, t.status, extract(epoch from clock_timestamp() - t.requested_at)::float8 as age, b.status as batch_status,
      coalesce(t.block_number = b.block_number and t.block_hash = b.block_hash and exists (
        select from stamping.transactions x where x.hash = t.transaction_hash and x.batch_id = b.id), false) as is_of_batch`,
    joins: 'left join stamping.batches b on b.id = t.batch_id',
    judge: (rows) =>
      rows.flatMap((row) =>
        judgeStamp(row, overdueSeconds).map((told) => ({ key: keyOf(row), subject: `stamp ${row.id}`, ...told })),
      ),
  });

const inBlock: ReadonlySet<string> = new Set(['included', 'confirmed']);
const includedBatch: ReadonlySet<string> = new Set(['included', 'finalized']);
/** Its transaction is broadcast until it is in a block, and a block may come in parts. */
const carryingBatch: ReadonlySet<string> = new Set(['signed', ...includedBatch]);

/** What each status waits for, when it takes too long. */
const waitsFor: ReadonlyMap<string, string> = new Map([
  ['requested', "does stamping run, and does a lane take new batches? Its log and the lanes' balances say"],
  [
    'submitted',
    'see the check lanes for its transaction: too low a fee, an empty lane, or an RPC endpoint that drops it',
  ],
  ['included', 'its block is not deep enough yet: see the check chain for cursors that stand'],
]);

export function judgeStamp(row: Row, overdueSeconds: number): { readonly what: string; readonly remedy: string }[] {
  const { status, age, batch_status: batch } = row;
  if (status === 'submitted' && (batch === null || !carryingBatch.has(batch)))
    return [
      {
        what: `is submitted, and its batch is ${batch ?? 'not known'}: nothing carries it`,
        remedy:
          "when none of the batch's transactions has a receipt on the chain (else it would be stamped twice), let it wait for another: status requested, batch_id and batch_index null in stamping.stamps",
      },
    ];
  const wait = waitsFor.get(status);
  if (wait !== undefined && age > overdueSeconds)
    return [{ what: `is ${status}, ${Math.round(age)} s after it was asked for`, remedy: wait }];
  if (!inBlock.has(status)) return [];
  const remedy =
    'put its row right by its batch and the receipt of the transaction (stamping.batches, stamping.transactions), then run this again';
  if (batch === null || !includedBatch.has(batch))
    return [{ what: `is ${status}, and its batch is ${batch ?? 'not known'}`, remedy }];
  return row.is_of_batch ? [] : [{ what: `is ${status} in another block or transaction than its batch`, remedy }];
}
