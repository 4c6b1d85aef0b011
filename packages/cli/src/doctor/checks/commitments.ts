import { byPlace, type Commitment, differingFields } from '../decisions/compare-commitment.ts';
import { merge } from '../decisions/merge.ts';
import { type BlockRange, type ChainPort, commitmentsByRange, readCommitments } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex } from '../readers/survey-table.ts';
import type { Difference, Survey } from '../running/survey.ts';

const remedy =
  'indelible rebuild verification.commitments (with --from chain when it comes back: then events.chain itself differs)';

type Ports = { readonly reader: Reader; readonly chain: ChainPort; readonly pageSize: number };

/**
 * The contract's logs on the chain ↔ verification.commitments, both ways, log by log, from the block at which the
 * indexer began up to what verification has read completely. The node's index of logs, which may lag or leave some out,
 * only says where to look again: the receipts of a block that differs decide.
 */
export function surveyCommitments(ports: Ports): Survey {
  const { reader, chain } = ports;
  return {
    of: 'commitments',
    async *all() {
      const [known] = await reader.query<BlockRange>(
        `select c.start_number as from, least(v.number, c.number) as to
         from chain.cursor c join verification.cursors v using (chain_id) where chain_id = $1`,
        [chain.chainId],
      );
      if (known === undefined) return;
      for await (const { range, commitments } of commitmentsByRange(chain, known))
        yield await compare(ports, range, commitments);
    },
    async again(keys) {
      const found: Difference[] = [];
      for (const number of new Set(keys.map(Number))) {
        const range = { from: number, to: number };
        found.push(...(await compare(ports, range, await readCommitments(chain, number))).differences);
      }
      const wanted = new Set(keys);
      return found.filter(({ key }) => wanted.has(key));
    },
  };
}

async function compare(ports: Ports, range: BlockRange, onChain: readonly Commitment[]) {
  const differences: Difference[] = [];
  for await (const { left, right } of merge(onChain, readRows(ports, range), byPlace)) {
    const what = fault(left, right);
    const one = left ?? right;
    if (what === undefined || one === undefined) continue;
    const subject = `commitment ${one.objectCid} (block ${one.blockNumber}, log ${one.logIndex})`;
    differences.push({ key: String(one.blockNumber), subject, what, remedy });
  }
  return { looked: onChain.length, differences };
}

function fault(onChain: Commitment | undefined, kept: Commitment | undefined): string | undefined {
  if (kept === undefined) return 'is on the chain, and not in verification.commitments';
  if (onChain === undefined) return 'is in verification.commitments, and not on the chain';
  const fields = differingFields(onChain, kept);
  return fields.length === 0
    ? undefined
    : `${fields.join(', ')} in verification.commitments ${fields.length === 1 ? 'is' : 'are'} not what the chain says`;
}

/** By block first, since the index that finds blocks is a coarse one: each page is bounded by the range. */
async function* readRows({ reader, chain, pageSize }: Ports, { from, to }: BlockRange): AsyncGenerator<Commitment> {
  let [block, log] = [from, -1];
  for (;;) {
    const rows = await reader.query<Commitment>(
      `select block_number as "blockNumber", log_index as "logIndex", ${hex('block_hash')} as "blockHash",
         block_time as "blockTime", ${hex('transaction_hash')} as "transactionHash",
         ${hex('user_address')} as account, ${hex('set_cid')} as "setCid", ${hex('object_cid')} as "objectCid"
       from verification.commitments
       where chain_id = $1 and block_number between $2 and $3 and (block_number, log_index) > ($2, $4::int)
       order by block_number, log_index limit $5`,
      [chain.chainId, block, to, log, pageSize],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    [block, log] = [last.blockNumber, last.logIndex];
  }
}
