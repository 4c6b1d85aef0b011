import { getBlockByNumber } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { ChainPort } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex } from '../readers/survey-table.ts';
import { type Difference, type Survey, surveyAtOnce } from '../running/survey.ts';

type Row = {
  readonly who: 'chain-indexer' | 'stamping' | 'verification';
  readonly number: number;
  readonly hash: Hex;
  readonly finalized: number | null;
  /** The age in seconds of the block after the cursor, where the indexer has it. */
  readonly next_age: number | null;
};

/** How far the chain was read ↔ the chain, and ↔ each other. */
export function surveyCursors({
  reader,
  chain,
  graceSeconds,
}: {
  reader: Reader;
  chain: ChainPort;
  graceSeconds: number;
}): Survey {
  return surveyAtOnce('cursors', async () => {
    const rows = await reader.query<Row>(
      `select c.*, extract(epoch from clock_timestamp())::bigint - b.time as next_age
       from (select 'chain-indexer' as who, number, ${hex('hash')} as hash, finalized_number as finalized
               from chain.cursor where chain_id = $1
             union all select 'stamping', number, ${hex('hash')}, finalized from stamping.chain_cursor where chain_id = $1
             union all select 'verification', number, ${hex('hash')}, finalized from verification.cursors where chain_id = $1) c
       left join chain.blocks b on b.chain_id = $1 and b.number = c.number + 1`,
      [chain.chainId],
    );
    const indexer = rows.find((row) => row.who === 'chain-indexer');
    const differences: Difference[] = [];
    for (const row of rows) {
      const at = { key: row.who, subject: `the cursor of ${row.who}` };
      const block = await getBlockByNumber(chain.rpc, row.number);
      const next = block === null ? null : await getBlockByNumber(chain.rpc, row.number + 1);
      const age = row.who === 'chain-indexer' ? ageOf(next?.timestamp) : row.next_age;
      differences.push(...judgeCursor(row, block?.hash, indexer, age, graceSeconds).map((one) => ({ ...at, ...one })));
    }
    return { looked: rows.length, differences };
  });
}

const ageOf = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : Date.now() / 1000 - seconds;

/** @param canonical the hash of the chain's block at the cursor; undefined when the chain is not as long */
export function judgeCursor(
  row: Row,
  canonical: Hex | undefined,
  indexer: Pick<Row, 'number'> | undefined,
  nextAge: number | null,
  graceSeconds: number,
): { readonly what: string; readonly remedy: string }[] {
  const differs = (what: string, remedy: string) => [{ what, remedy }];
  const restart = `see the log of ${row.who}, and that RPC_URL and CHAIN_ID are of one chain; it goes on when both are right`;
  if (canonical === undefined)
    return differs(`it is at block ${row.number}, the chain does not reach that far`, restart);
  if (canonical !== row.hash)
    return differs(`block ${row.number} is ${canonical} on the chain, and ${row.hash} here`, restart);
  if (row.finalized !== null && row.finalized > row.number)
    return differs(`block ${row.finalized} counts as final, which is above the cursor (${row.number})`, restart);
  if (indexer !== undefined && row.number > indexer.number)
    return differs(
      `it is at block ${row.number}, ahead of the chain-indexer (${indexer.number})`,
      'the schema chain was put back or replaced: let the chain-indexer catch up',
    );
  if (nextAge !== null && nextAge > graceSeconds)
    return differs(
      `it is at block ${row.number}, though the next one is ${Math.round(nextAge)} s old`,
      `does ${row.who} run? Its log says what it waits for; then the relay of the schema chain and the dead letters of events.chain`,
    );
  return [];
}
