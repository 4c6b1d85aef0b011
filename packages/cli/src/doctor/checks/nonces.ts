import { getTransactionCount, getTransactionReceipt } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { ChainPort } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Difference, Survey } from '../running/survey.ts';

type Row = {
  readonly id: string;
  readonly lane: Hex;
  readonly nonce: number;
  readonly status: string;
  /** Seconds since it was signed. */
  readonly age: number;
  readonly transactions: readonly Hex[];
  /** An empty transaction may have taken its nonce. */
  readonly is_emptied: boolean;
  readonly is_first: boolean;
  readonly follows: boolean;
};

/** The nonces of stored batches: without gaps (I3), and used by what is stored for them, in time (I6). */
export const surveyNonces = (ports: {
  reader: Reader;
  chain: ChainPort;
  pageSize: number;
  graceSeconds: number;
  overdueSeconds: number;
}): Survey =>
  surveyTable<Row>({
    reader: ports.reader,
    pageSize: ports.pageSize,
    of: 'nonces',
    table: 'stamping.batches',
    keys: [
      { column: 'lane', type: 'bytea' },
      { column: 'nonce', type: 'bigint' },
    ],
    where: 'chain_id = $1',
    columns: `t.id, ${hex('t.lane')} as lane, t.nonce, t.status,
      extract(epoch from clock_timestamp() - t.signed_at)::float8 as age,
      array(select ${hex('x.hash')} from stamping.transactions x where x.batch_id = t.id and not x.is_empty) as transactions,
      exists (select from stamping.transactions x where x.batch_id = t.id and x.is_empty) as is_emptied,
      not exists (select from stamping.batches b where b.lane = t.lane and b.nonce < t.nonce) as is_first,
      exists (select from stamping.batches b where b.lane = t.lane and b.nonce = t.nonce - 1) as follows`,
    parameters: [ports.chain.chainId],
    async judge(rows) {
      const found: Difference[] = [];
      for (const row of rows) {
        const at = { key: keyOf(row), subject: `batch ${row.id}` };
        if (!row.is_first && !row.follows)
          found.push({
            ...at,
            what: `has nonce ${row.nonce} of lane ${row.lane}, nothing is stored for ${row.nonce - 1}`,
            remedy:
              'restore the missing batch and its transaction from a backup: the lane is blocked until its nonce is used',
          });
        if (row.transactions.length === 0)
          found.push({
            ...at,
            what: 'has no transaction',
            remedy: 'restore stamping.transactions from a backup: without it nothing can be broadcast again',
          });
        else if (row.status === 'signed' && row.age > ports.graceSeconds) {
          const fault = await judgeSigned(ports, row);
          if (fault !== undefined) found.push({ ...at, ...fault });
        }
      }
      return found;
    },
  });

/** Few batches are signed and not in a block, so that each may be requested. */
async function judgeSigned(
  { chain, overdueSeconds }: { readonly chain: ChainPort; readonly overdueSeconds: number },
  row: Row,
): Promise<{ readonly what: string; readonly remedy: string } | undefined> {
  const count = await getTransactionCount(chain.rpc, row.lane);
  for (const hash of row.transactions) {
    const receipt = await getTransactionReceipt(chain.rpc, hash);
    // What reverted is settled once its block is final.
    if (receipt?.status === 'reverted') return undefined;
    if (receipt !== null && row.age > overdueSeconds)
      return {
        what: `is in block ${receipt.blockNumber}, and counts as signed`,
        remedy: 'see the check chain: stamping learns of it from the chain-indexer',
      };
    if (receipt !== null) return undefined;
  }
  if (row.is_emptied) return undefined;
  if (count > row.nonce)
    return {
      what: `its nonce ${row.nonce} of lane ${row.lane} was used by a transaction that is not stored`,
      remedy: `the lane's key is used elsewhere: find by whom; once that block is final stamping puts the items into another batch`,
    };
  if (row.age > overdueSeconds)
    return {
      what: `was signed ${Math.round(row.age)} s ago and is in no block`,
      remedy:
        "see stamping's log for its broadcasts: fees above the cap, an empty lane, or an RPC endpoint that refuses",
    };
  return undefined;
}
