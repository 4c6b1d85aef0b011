import { quantityOf, readBlock } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { ChainPort } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex, type Keyed, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Difference, Survey } from '../survey.ts';

type Row = {
  readonly number: number;
  readonly hash: Hex;
  readonly parent: Hex;
  readonly time: number;
  /** The hash of the header before it, where that is kept. */
  readonly before: Hex | null;
  /** Headers are kept without a gap from here on; the anchor may lie far below. */
  readonly lowest: number;
  readonly cursor: number;
};

const callsPerBatch = 50;
const follows =
  'nothing if the chain has just turned: the chain-indexer follows; else see its log, and that RPC_URL and CHAIN_ID are of one chain';

/** The indexer's kept headers ↔ the chain. */
export const surveyHeaders = (ports: { reader: Reader; chain: ChainPort; pageSize: number }): Survey =>
  surveyTable<Row>({
    reader: ports.reader,
    pageSize: ports.pageSize,
    of: 'headers',
    table: 'chain.blocks',
    keys: [
      { column: 'chain_id', type: 'bigint' },
      { column: 'number', type: 'bigint' },
    ],
    where: 'chain_id = $1',
    columns: `t.number, ${hex('t.hash')} as hash, ${hex('t.parent_hash')} as parent, t.time, ${hex('p.hash')} as before,
      c.number as cursor,
      (select min(l.number) from chain.blocks l where l.chain_id = $1 and l.number >= c.start_number) as lowest`,
    joins: `join chain.cursor c on c.chain_id = t.chain_id
      left join chain.blocks p on p.chain_id = t.chain_id and p.number = t.number - 1`,
    parameters: [ports.chain.chainId],
    async judge(rows) {
      const found: Difference[] = [];
      for (let at = 0; at < rows.length; at += callsPerBatch)
        found.push(...(await compareWithChain(ports.chain, rows.slice(at, at + callsPerBatch))));
      return found;
    },
  });

async function compareWithChain({ rpc }: ChainPort, rows: readonly Keyed<Row>[]): Promise<Difference[]> {
  const answers = await rpc.batch(
    rows.map((row) => ({ method: 'eth_getBlockByNumber', params: [quantityOf(row.number), false] })),
  );
  return rows.flatMap((row, i): Difference[] => {
    const answer = answers[i];
    if (answer?.ok === false) throw answer.error;
    const block = readBlock(answer?.result);
    return faultsOf(row, block).map((fault) => ({ key: keyOf(row), subject: `block ${row.number}`, ...fault }));
  });
}

function faultsOf(
  row: Row,
  block: { readonly hash: Hex; readonly parentHash: Hex; readonly timestamp: number } | null,
): { readonly what: string; readonly remedy: string }[] {
  if (row.number > row.cursor)
    return [{ what: 'a header is kept above the cursor', remedy: 'delete the row of chain.blocks' }];
  const faults = [];
  if (block === null)
    faults.push({ what: `header ${row.hash} is kept, the chain has no such block yet`, remedy: follows });
  else if (block.hash !== row.hash)
    faults.push({ what: `header ${row.hash} is kept, canonical is ${block.hash}`, remedy: follows });
  else if (block.parentHash !== row.parent || block.timestamp !== row.time)
    faults.push({
      what: 'the kept parent or time is not the one its hash stands for',
      remedy: `write those of eth_getBlockByNumber into chain.blocks`,
    });
  if (row.before === null && row.number > row.lowest)
    faults.push({
      what: `the header of block ${row.number - 1} is missing`,
      remedy:
        'write it into chain.blocks from eth_getBlockByNumber: without it a reorg there is followed from further below',
    });
  return faults;
}
