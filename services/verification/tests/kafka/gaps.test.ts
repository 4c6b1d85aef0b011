import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { json } from 'node:stream/consumers';
import { createMessageBus, outgoing, type Publisher } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted, CollectionRegistered } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { type Component, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, type TestDatabase, type TestKafka, testKafka } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readCursors } from '../../src/projections/cursors.ts';
import { createVerificationService } from '../../src/service.ts';
import { block, chainId, commitment, finalize, hash, type Message, revert } from '../support/chain.ts';
import { connect, logger, verificationDatabase } from '../support/database.ts';

jest.setTimeout(120_000);

const contracts = [BlockAppended, BlocksReverted, BlocksFinalized, CollectionRegistered];
let server: TestDatabase;
let database: Database;
let kafka: TestKafka;
let publisher: Publisher;
let indexer: Server;
/** The current chain, and the requests to the indexer. */
let canonical: Message[];
let requests: number[];
let service: readonly Component[];

const outgoingOf = (message: Message) => {
  const envelope = { id: message.id, time: new Date().toISOString() };
  if (message.type === 'BlockAppended') return outgoing(BlockAppended, message.data, envelope);
  if (message.type === 'BlocksReverted') return outgoing(BlocksReverted, message.data, envelope);
  return outgoing(BlocksFinalized, message.data, envelope);
};
const publish = (...messages: Message[]) => publisher.publish(messages.map(outgoingOf));
const numberOf = (message: Message) => (message.type === 'BlockAppended' ? message.data.number : 0);
const again = (message: Message): Message => ({ ...message, id: crypto.randomUUID() });
const one = (number: number, fork = 'main', parent = fork) =>
  block(number, [commitment(0, 'alice', 'set', `${fork} object ${number}`)], { fork, parent });
const stored = async () =>
  (await database.query<{ n: number }>('select block_number as n from commitments order by 1')).rows.map(({ n }) => n);
const reached = (number: number, name: string) =>
  eventually(
    async () => expect((await readCursors(database)).get(chainId)).toMatchObject({ number, hash: hash(name) }),
    { timeoutMs: 60_000 },
  );
const start = async () => {
  const { port } = indexer.address() as AddressInfo;
  service = createVerificationService(
    {
      databaseUrl: server.url,
      kafkaBrokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      topicPrefix: kafka.prefix,
      indexerUrl: `http://127.0.0.1:${port}`,
      spoolDirectory: tmpdir(),
      spoolMaxBytes: 2 ** 30,
      internalHost: '127.0.0.1',
      internalPort: 0,
      leaveMs: 0,
      kafkaSessionTimeoutMs: 10_000,
      logLevel: 'silent',
    },
    logger,
    (error) => {
      throw error;
    },
  );
  await startAll(service);
};

beforeAll(async () => {
  server = await verificationDatabase();
  database = connect(server.url);
});
beforeEach(async () => {
  kafka = testKafka();
  await database.query('truncate commitments, cursors, inbox');
  canonical = [];
  requests = [];
  // Like the chain-indexer: the canonical blocks again, in order, with new ids.
  indexer = createServer(async (request, response) => {
    const { from } = (await json(request)) as { from: number };
    requests.push(from);
    response.writeHead(202).end(JSON.stringify({ from }));
    await publish(...canonical.filter((message) => numberOf(message) >= from).map(again));
  }).listen(0, '127.0.0.1');
  await once(indexer, 'listening');
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'indelible/test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision({ contracts });
  publisher = bus.createPublisher({ contracts });
  await publisher.start();
  await start();
});
afterEach(async () => {
  await stopAll(service);
  await publisher.stop();
  indexer.close();
  await once(indexer, 'close');
  await kafka.dispose();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

describe('the projection of commitments past gaps (I8, I11)', () => {
  it('continues automatically when a record of events.chain was lost', async () => {
    canonical = [1, 2, 3, 4].map((number) => one(number));
    const [first, second, , fourth] = canonical as [Message, Message, Message, Message];
    await publish(first, second, fourth);
    await reached(4, 'main 4');
    expect(await stored()).toEqual([1, 2, 3, 4]);
    expect(requests).toEqual([3]);
    await publish(one(5));
    await reached(5, 'main 5');
  });

  it('continues automatically when the record of a revert was lost, with nothing of the other branch (I4)', async () => {
    const [first, second] = [one(1), one(2)];
    canonical = [first, second, one(3, 'other', 'main'), one(4, 'other')];
    await publish(first, second, finalize(2), one(3), one(4));
    await reached(4, 'main 4');
    await publish(...canonical.slice(2));
    await reached(4, 'other 4');
    const { rows } = await database.query<{ block_hash: Buffer }>(
      'select block_hash from commitments order by block_number',
    );
    expect(rows.map((row) => `0x${row.block_hash.toString('hex')}`)).toEqual(
      ['main 1', 'main 2', 'other 3', 'other 4'].map(hash),
    );
    expect(requests).toEqual([3]);
  });

  it('drops old history when its offsets were lost, and continues with new messages', async () => {
    const history = [one(1), one(2), one(3), revert(1, 3), one(2, 'other', 'main'), one(3, 'other'), finalize(1)];
    await publish(...history);
    await reached(3, 'other 3');
    await stopAll(service);
    await kafka.deleteGroup('verification');
    // The inbox keeps messages for a month.
    await database.query('truncate inbox');
    canonical = [one(1), one(2, 'other', 'main'), one(3, 'other'), one(4, 'other')];
    await publish(canonical[3] as Message);
    await start();
    await reached(4, 'other 4');
    expect(await stored()).toEqual([1, 2, 3, 4]);
  });
});
