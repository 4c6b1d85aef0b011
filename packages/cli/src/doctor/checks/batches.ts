import type { Hex } from '@indelible/identifiers';
import { type BatchOnChain, type BatchStamp, compareBatch } from '../decisions/compare-batch.ts';
import { type ChainPort, commitmentsOfTransaction } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Difference, Survey } from '../running/survey.ts';

type Row = { readonly id: string; readonly block_hash: Hex | null; readonly transactions: readonly Hex[] };

/** A batch is some thousand stamps, and as many logs of its receipt. */
const mostBatches = 20;

/** A block of which stamping has read all parts: `t` is a table with chain_id and block_number. */
const isRead = (chainId: string, blockNumber: string): string => `exists (
  select from stamping.chain_cursor c where c.chain_id = ${chainId}
    and (${blockNumber} < c.number or (${blockNumber} = c.number and c.part = c.parts)))`;

/** Stamping's included batches, with their stamps ↔ the receipts of their transactions. */
export const surveyBatches = ({
  reader,
  chain,
  pageSize,
}: {
  reader: Reader;
  chain: ChainPort;
  pageSize: number;
}): Survey =>
  surveyTable<Row>({
    reader,
    pageSize: Math.min(pageSize, mostBatches),
    of: 'batches',
    table: 'stamping.batches',
    keys: [{ column: 'id', type: 'uuid' }],
    where: `chain_id = $1 and kind = 'commit' and status in ('included', 'finalized') and ${isRead('batches.chain_id', 'batches.block_number')}`,
    columns: `t.id, ${hex('t.block_hash')} as block_hash,
      array(select ${hex('x.hash')} from stamping.transactions x where x.batch_id = t.id order by x.stored_at desc) as transactions`,
    parameters: [chain.chainId],
    async judge(rows) {
      const found: Difference[] = [];
      for (const row of rows) {
        const onChain = await findOnChain(chain, row.transactions);
        const differences = compareBatch(
          { id: row.id, blockHash: row.block_hash },
          await readStamps(reader, row.id),
          onChain,
        );
        found.push(...differences.map((one) => ({ key: keyOf(row), ...one })));
      }
      return found;
    },
  });

/** One of the batch's transactions at most is in a block: they have one nonce. */
async function findOnChain(chain: ChainPort, hashes: readonly Hex[]): Promise<BatchOnChain | undefined> {
  for (const hash of hashes) {
    const found = await commitmentsOfTransaction(chain, hash);
    if (found !== undefined) return found;
  }
  return undefined;
}

const readStamps = (reader: Reader, batchId: string): Promise<BatchStamp[]> =>
  reader.query<BatchStamp>(
    `select s.id, s.status, ${hex('s.account')} as account, ${hex('s.set_cid')} as "setCid", ${hex('s.object_cid')} as "objectCid",
       s.log_index as "logIndex", ${hex('s.block_hash')} as "blockHash", s.block_time as "blockTime",
       ${hex('s.transaction_hash')} as "transactionHash"
     from stamping.batches b cross join unnest(b.stamp_ids) with ordinality as item (stamp_id, place)
       join stamping.stamps s on s.id = item.stamp_id
     where b.id = $1 order by item.place`,
    [batchId],
  );
