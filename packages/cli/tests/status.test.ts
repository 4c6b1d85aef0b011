import { createServer, type Server } from 'node:http';
import { createMessageBus } from '@indelible/kafka';
import { publicTopicDefaults } from '@indelible/public-events';
import { closeServer, createLogger, listen, portOf } from '@indelible/service-runtime';
import {
  type TestAnvil,
  type TestDatabase,
  type TestKafka,
  testAnvil,
  testDatabase,
  testKafka,
} from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { provideMessages, runMigrations, serviceNames } from '../src/provisioning.ts';
import { compileCache, runCommand } from './command-line.ts';

jest.setTimeout(180_000);

let anvil: TestAnvil;
let database: TestDatabase;
let kafka: TestKafka;
let server: Server;
let waiting: string[];
beforeAll(async () => {
  kafka = testKafka();
  [anvil, database] = await Promise.all([testAnvil(), testDatabase()]);
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'status-tests',
    source: 'indelible/tests',
    topicPrefix: kafka.prefix,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  await provideMessages(bus, { ...publicTopicDefaults, prefix: kafka.prefix });
  for (const service of ['stamping', 'chain-indexer'] as const)
    expect((await runMigrations(service, { ...compileCache, DATABASE_URL: database.url })).fault).toBeUndefined();
  server = await listen(
    createServer((_request, response) => {
      response.writeHead(waiting.length === 0 ? 200 : 503).end(JSON.stringify({ waiting }));
    }),
    '127.0.0.1',
    0,
  );
});
afterAll(async () => {
  await closeServer(server);
  await anvil.stop();
  await Promise.all([database.drop(), kafka.dispose()]);
});

/** The chain is read to its head, and a lane is held. */
beforeEach(async () => {
  waiting = [];
  await anvil.mine(1);
  const head = Number(await anvil.request('eth_blockNumber'));
  await database.pool.query('truncate chain.cursor, stamping.chain_cursor, stamping.lanes, stamping.waiting_stamps');
  await database.pool.query(
    `insert into chain.cursor (chain_id, start_number, number, hash, finalized_number, safe_number, version, reorgs)
     values ($1, 1, $2, decode(repeat('00', 32), 'hex'), 0, 0, 1, 0)`,
    [anvil.chainId, head],
  );
  await database.pool.query(
    `insert into stamping.chain_cursor (chain_id, number, hash, part, parts) values ($1, $2, decode(repeat('00', 32), 'hex'), 1, 1)`,
    [anvil.chainId, head],
  );
  await database.pool.query(
    `insert into stamping.lanes (lane, chain_id, next_nonce, lease_holder, lease_until)
     values (decode(repeat('11', 20), 'hex'), $1, 0, 'stamping-1', now() + interval '1 hour')`,
    [anvil.chainId],
  );
});

const run = (words: readonly string[] = [], over: Record<string, string> = {}) => {
  const url = `http://127.0.0.1:${portOf(server)}`;
  const services = ['GATEWAY_INTERNAL', 'STAMPING', 'INDEXER', 'STORAGE', 'VERIFICATION', 'NOTIFICATIONS'];
  return runCommand(['status', ...words], {
    folder: '/',
    environment: {
      ...Object.fromEntries(services.map((name) => [`${name}_URL`, url])),
      DATABASE_URL: database.url,
      RPC_URL: anvil.rpcUrl,
      KAFKA_BROKERS: kafka.brokers.join(','),
      SCHEMA_REGISTRY_URL: kafka.schemaRegistryUrl,
      TOPIC_PREFIX: kafka.prefix,
      ...over,
    },
  });
};
const wrongLines = (out: string): string[] => out.split('\n').filter((line) => line.startsWith('✗'));

describe('indelible status', () => {
  it('ends with 0 when all is well, and says so of each part', async () => {
    const { code, out, err } = await run();
    expect([wrongLines(out), err, code]).toEqual([[], '', 0]);
    for (const name of [...serviceNames, 'chain', 'stamps', 'lane', 'consumer stamping.requests', 'dead letters'])
      expect(out).toContain(`✓ ${name} `);
    const { ok, findings } = JSON.parse((await run(['--json'])).out);
    expect(ok).toBe(true);
    expect(findings.find(({ name }: { name: string }) => name === 'chain').data).toMatchObject({
      chainId: anvil.chainId,
      indexerLag: 0,
    });
  });

  it('ends with 1 when a service waits, the indexer lags, a lane is low or an old stamp is unconfirmed', async () => {
    waiting = ['consumer of stamps'];
    await anvil.mine(200);
    await database.pool.query('update stamping.lanes set low_funds = true');
    await database.pool.query(
      `with old as (insert into stamping.stamps (id, account, set_cid, object_cid, status, exclusive, requested_at, version)
         values (gen_random_uuid(), decode(repeat('22', 20), 'hex'), decode(repeat('00', 32), 'hex'),
           decode(repeat('33', 32), 'hex'), 'requested', false, now() - interval '1 hour', 1)
         returning account, seq, id)
       insert into stamping.waiting_stamps (account, seq, stamp_id) select account, seq, id from old`,
    );
    const { code, out } = await run();
    expect(code).toBe(1);
    const lines = wrongLines(out).join('\n');
    expect(lines).toContain('not ready: waits for consumer of stamps');
    expect(lines).toMatch(/chain .* indexer 200 behind, stamping 200 behind/);
    expect(lines).toMatch(/lane .* low funds/);
    expect(lines).toMatch(/stamps .* oldest unconfirmed is 36\d\d s old; 1 wait for a batch/);
  });

  it('shows what it can reach when servers are unreachable, and names them', async () => {
    const { code, out } = await run([], {
      STAMPING_URL: 'http://127.0.0.1:1',
      DATABASE_URL: 'postgres://indelible:hidden@127.0.0.1:1/indelible',
    });
    expect(code).toBe(1);
    expect(out).toContain('✓ gateway ');
    expect(out).toMatch(/✗ stamping +unreachable at http:\/\/127\.0\.0\.1:1/);
    expect(out).toMatch(/✗ lanes +Postgres at 127\.0\.0\.1:1 cannot be reached/);
    expect(out).toContain('✓ dead letters');
    expect(out).not.toContain('hidden');
  });
});
