import { type ReceiptFields, receiptDifference } from '../decisions/compare-receipt.ts';
import type { Reader } from '../readers/reader.ts';
import { receiptOfStamp } from '../readers/receipt-columns.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../running/survey.ts';

type Ports = {
  readonly reader: Reader;
  readonly pageSize: number;
  readonly chainId: number;
  readonly graceSeconds: number;
};

type Row = {
  readonly status: string;
  readonly receipt: ReceiptFields | null;
  readonly is_settled: boolean | null;
  /** Whether the stamp had content: storage gets no others. */
  readonly has_content: boolean;
  /** Null when storage does not know the stamp. */
  readonly on_chain: boolean | null;
  /** Transaction and block hash are null in records of a former version. */
  readonly stored: { readonly [Field in keyof ReceiptFields]: ReceiptFields[Field] | null };
};

const remedy =
  'storage has it of events.stamps: is its consumer behind, are there dead letters of events.stamps? Else put the row of storage.stamps right by the one of stamping.stamps';

/**
 * Stamping's confirmed stamps ↔ the records that stored paths are made of. A stamp without content has one only when its content came later, and
 * that one stays as it was then, whatever a reorg moves.
 */
export const surveyStorageStamps = ({ reader, pageSize, chainId, graceSeconds }: Ports): Survey =>
  surveyTable<Row>({
    reader,
    pageSize,
    of: 'stamps in the records of storage',
    table: 'stamping.stamps',
    keys: [{ column: 'id', type: 'uuid' }],
    columns: `t.status, t.content is not null as has_content, ${receiptOfStamp('$1')} as receipt, s.on_chain,
      extract(epoch from clock_timestamp() - e.recorded_at)::float8 > $2 as is_settled,
      json_build_object('transactionHash', ${hex('s.transaction_hash')}, 'logIndex', s.log_index,
        'blockNumber', s.block_number, 'blockHash', ${hex('s.block_hash')}, 'blockTime', s.block_time,
        'chainId', s.chain_id, 'account', ${hex('s.account')}, 'setCid', ${hex('s.set_cid')},
        'objectCid', ${hex('s.object_cid')}) as stored`,
    joins: `left join storage.stamps s on s.stamp_id = t.id
      left join lateral (
        select recorded_at from stamping.events where stream = 'stamp-' || t.id order by version desc limit 1) e on true`,
    parameters: [chainId, graceSeconds],
    judge: (rows) =>
      rows.flatMap((row) => {
        const what = judgeStorageStamp(row);
        return what === undefined ? [] : [{ key: keyOf(row), subject: `stamp ${row.key[0]}`, what, remedy }];
      }),
  });

export function judgeStorageStamp(row: Row): string | undefined {
  // Events without content may share rows, in which their age is not looked up; and what they commit to never changes.
  if (row.has_content && row.is_settled !== true) return undefined;
  if (!row.has_content) return row.on_chain === null ? undefined : describe(differingFields(row).filter(isIdentity));
  if (row.status !== 'confirmed')
    return row.on_chain === true ? `is ${row.status}, storage has it as on the chain` : undefined;
  if (row.on_chain === null) return 'is confirmed, storage does not know it';
  if (!row.on_chain) return 'is confirmed, storage has it as not on the chain';
  return describe(differingFields(row));
}

/** In no block it has no receipt to compare. */
function differingFields({ receipt, stored }: Row): readonly string[] {
  return receipt === null ? [] : receiptDifference(receipt, { ...receipt, ...withoutNulls(stored) } as ReceiptFields);
}

const isIdentity = (field: string): boolean => ['chainId', 'account', 'setCid', 'objectCid'].includes(field);

const describe = (fields: readonly string[]): string | undefined =>
  fields.length === 0 ? undefined : `storage has another ${fields.join(', ')} of it`;

const withoutNulls = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

type RecordRow = { readonly is_known: boolean };

/** Storage's records ↔ stamping: no surplus, except those made for uploads. */
export const surveyStorageRecords = ({ reader, pageSize }: Ports): Survey =>
  surveyTable<RecordRow>({
    reader,
    pageSize,
    of: 'records of storage',
    table: 'storage.stamps',
    keys: [{ column: 'stamp_id', type: 'uuid' }],
    where: 'not recreated',
    columns: 'exists (select from stamping.stamps s where s.id = t.stamp_id) as is_known',
    judge: (rows) =>
      rows.flatMap((row) =>
        row.is_known
          ? []
          : [
              {
                key: keyOf(row),
                subject: `stamp ${row.key[0]}`,
                what: 'storage has a record of it, stamping knows no such stamp',
                remedy: 'stamping has lost it: restore it from a backup by its StampConfirmed event',
              },
            ],
      ),
  });
