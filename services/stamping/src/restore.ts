import { parseArgs } from 'node:util';
import { createRpc } from '@indelible/ethereum';
import { openLaneKeys } from '@indelible/ethereum/custody';
import { brokerOf, createMessageBus } from '@indelible/kafka';
import { createDatabase } from '@indelible/postgres';
import { commandMain, createLogger } from '@indelible/service-runtime';
import { readRestoreConfig } from './config.ts';
import { restoreStamping } from './restoring/restore-stamping.ts';
import { schema } from './schema.ts';

const signatureMs = 10_000;
/** Ten whole blocks. */
const maxResponseBytes = 128 * 1024 * 1024;
/** A statement may process a whole history. */
const statementTimeoutMs = 3_600_000;

/** The program behind `indelible restore`: no service may run. Results go to standard output, progress to stderr. */
async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { since: { type: 'string' }, 'from-block': { type: 'string' }, json: { type: 'boolean', default: false } },
  });
  const config = readRestoreConfig(process.env);
  const logger = createLogger({ service: 'restore', level: 'silent' });
  const keys = await openLaneKeys(config.laneKeys, signatureMs);
  const { chainId, contractAddress: contract, rpcUrls } = config;
  const rpc = createRpc({ urls: rpcUrls, timeoutMs: 60_000, chainId, maxResponseBytes });
  const database = createDatabase({
    ...{ url: config.databaseUrl, schema, applicationName: 'indelible restore', maxConnections: 4, logger },
    ...{ statementTimeoutMs, idleInTransactionMs: statementTimeoutMs },
  });
  const bus = createMessageBus({ ...brokerOf(config), clientId: 'restore', source: 'indelible/stamping', logger });
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stopping.abort(new Error('stopped: run the command again before any service starts')));
  try {
    const lanes = await Promise.all(Array.from({ length: keys.count }, (_, index) => keys.signer.address(index)));
    const restored = await restoreStamping({
      ...{ database, bus, rpc, chainId, contract, operator: keys.operator, lanes },
      since: values.since === undefined ? undefined : new Date(values.since),
      fromBlock: values['from-block'] === undefined ? undefined : Number(values['from-block']),
      note: (text) => console.error(text),
      signal: stopping.signal,
    });
    console.log(values.json ? JSON.stringify(restored) : linesOf(restored));
  } finally {
    keys.close();
    rpc.close();
    await database.close();
  }
}

const linesOf = (restored: object): string =>
  Object.entries(restored)
    .map(([name, value]) => `${name.padEnd(14)} ${value ?? 'none'}`)
    .join('\n');

await commandMain('restore', run);
