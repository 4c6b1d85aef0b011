import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { eventTopics } from '@indelible/commitment-contract';
import { createLogger, startAll, stopAll } from '@indelible/service-runtime';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { readConfig } from '../../../services/chain-indexer/src/config.ts';
import { migrateChainIndexer } from '../../../services/chain-indexer/src/migrate.ts';
import { createIndexer } from '../../../services/chain-indexer/src/service.ts';
import {
  blockHash,
  blockTime,
  type FullBlocks,
  objectCid,
  setCid,
  transactionHash,
  user,
} from '../load/full-blocks.ts';
import type { Scenario } from '../scenario.ts';
import { inFreshDatabase } from '../system/fresh-database.ts';
import { startSideProcess } from '../system/side-process.ts';

const contract = `0x${'22'.repeat(20)}`;

/**
 * The chain-indexer catches up with blocks of 3,900 logs each, from a node whose answers are made beforehand: it reads,
 * checks, stores and hands them to a publisher that takes them at once. Beside it, COPY writes a row for each of the same
 * logs, ready-made, into a table with their places as its key.
 */
export const indexerCatchUp: Scenario = {
  name: 'indexer-catch-up',
  about: 'the chain-indexer catches up with blocks of 3,900 logs: logs stored per second, beside COPY of the same rows',
  async run(context) {
    const blocks: FullBlocks = {
      ...{ count: context.quick ? 3 : 48, logsPerBlock: context.quick ? 50 : 3_900 },
      ...{ chainId: 31_337, contract, topic: eventTopics.AddSetObject },
    };
    const { connection } = await context.startSystem();
    const node = await startSideProcess(join(import.meta.dirname, '../load/premade-node.ts'), blocks, context.signal);
    try {
      const rows = copyRows(blocks);
      const stored: number[] = [];
      const copied: number[] = [];
      const rounds = context.quick ? 1 : 5;
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        context.progress(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
        const rates = await inFreshDatabase(connection.databaseUrl, async (database) => [
          await indexerRate(database, node.url, blocks, context.signal),
          await copyRate(database, rows, blocks),
        ]);
        if (round === 0) continue;
        stored.push(rates[0] as number);
        copied.push(rates[1] as number);
      }
      return [
        {
          ...{ what: 'logs stored', unit: 'logs/s', rounds: stored },
          baseline: { what: 'COPY, a row a log', rounds: copied },
          reach: { ratioAtLeast: 0.3 },
        },
      ];
    } finally {
      await node.stop();
    }
  },
};

/** Logs per second from the start of the service until the last block is stored. */
async function indexerRate(url: string, rpcUrl: string, blocks: FullBlocks, signal: AbortSignal): Promise<number> {
  await migrateChainIndexer(url);
  const config = readConfig({
    ...{ DATABASE_URL: url, KAFKA_BROKERS: 'none', SCHEMA_REGISTRY_URL: 'http://none', RPC_URL: rpcUrl },
    ...{ RPC_WS_URL: 'none', CHAIN_ID: String(blocks.chainId), CONTRACT_ADDRESS: contract, INTERNAL_PORT: '0' },
  });
  const components = createIndexer(
    config,
    { publish: async () => {} },
    createLogger({ service: 'bench', level: 'error' }),
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const began = performance.now();
    await startAll(components);
    for (;;) {
      const { rows } = await client.query<{ done: boolean }>('select number = $1 as done from chain.cursor', [
        blocks.count,
      ]);
      if (rows[0]?.done === true) break;
      await delay(5, undefined, { signal });
    }
    return (blocks.count * blocks.logsPerBlock) / ((performance.now() - began) / 1_000);
  } finally {
    await client.end();
    await stopAll(components);
  }
}

/** COPY's text format, a chunk a block. */
const copyRows = (blocks: FullBlocks): readonly string[] =>
  Array.from({ length: blocks.count }, (_, i) => {
    const number = i + 1;
    const start = `${blocks.chainId}\t${number}\t`;
    const block = `\t\\\\x${user}\t\\\\x${setCid}\t${blockTime(number)}\t\\\\x${transactionHash(number)}\t\\\\x${blockHash(number)}\n`;
    return Array.from(
      { length: blocks.logsPerBlock },
      (_, logIndex) => `${start}${logIndex}\t\\\\x${objectCid(number, logIndex)}${block}`,
    ).join('');
  });

async function copyRate(url: string, rows: readonly string[], blocks: FullBlocks): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create table copied (chain_id bigint, block_number bigint, log_index int, object_cid bytea,
      user_address bytea, set_cid bytea, block_time bigint, transaction_hash bytea, block_hash bytea,
      primary key (chain_id, block_number, log_index))`);
    const began = performance.now();
    await pipeline(Readable.from(rows), client.query(copyFrom('copy copied from stdin')));
    const seconds = (performance.now() - began) / 1_000;
    const { rows: counted } = await client.query<{ count: string }>('select count(*)::int as count from copied');
    if (Number(counted[0]?.count) !== blocks.count * blocks.logsPerBlock) throw new Error('not all rows were copied');
    return (blocks.count * blocks.logsPerBlock) / seconds;
  } finally {
    await client.end();
  }
}
