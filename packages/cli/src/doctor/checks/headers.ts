import type { Hex } from '@indelible/identifiers';
import type { ChainPort } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex, type Keyed, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Difference, Survey } from '../running/survey.ts';

type Row = {
  readonly number: number;
  readonly hash: Hex;
  readonly parent: Hex;
  readonly time: number;
  /** The hash of the header before it, where that is kept. */
  readonly before: Hex | null;
  /** Headers have no gap from this number on; the anchor may be far below. */
  readonly lowest: number;
  readonly cursor: number;
};

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
    judge: (rows) => compareWithChain(ports.chain, rows),
  });

async function compareWithChain({ reader }: ChainPort, rows: readonly Keyed<Row>[]): Promise<Difference[]> {
  const blocks = new Map(
    (await reader.headers(rows.map(({ number }) => number))).map((block) => [block.number, block]),
  );
  return rows.flatMap((row): Difference[] =>
    faultsOf(row, blocks.get(row.number)).map((fault) => ({
      key: keyOf(row),
      subject: `block ${row.number}`,
      ...fault,
    })),
  );
}

function faultsOf(
  row: Row,
  block: { readonly hash: Hex; readonly parentHash: Hex; readonly timestamp: number } | undefined,
): { readonly what: string; readonly remedy: string }[] {
  if (row.number > row.cursor)
    return [{ what: 'a header is kept above the cursor', remedy: 'delete the row of chain.blocks' }];
  const faults = [];
  if (block === undefined)
    faults.push({ what: `header ${row.hash} is kept, the chain has no such block yet`, remedy: follows });
  else if (block.hash !== row.hash)
    faults.push({ what: `header ${row.hash} is kept, canonical is ${block.hash}`, remedy: follows });
  else if (block.parentHash !== row.parent || block.timestamp !== row.time)
    faults.push({
      what: 'the kept parent or time does not match its hash',
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
