import type { AddressInfo } from 'node:net';
import type { Hex } from '@indelible/identifiers';
import { type TestAnvil, type TestDatabase, testAnvil } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Config } from '../src/config.ts';
import { alice, type ContractOnAnvil, cid, createContract } from './contract-on-anvil.ts';
import {
  configFor,
  createTopic,
  migratedDatabase,
  type Replica,
  startReplica,
  type Topic,
  toldOfAll,
} from './indexer-harness.ts';

jest.setTimeout(30_000);

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replica: Replica | undefined;
let heads: WebSocketServer;
let subscribed: Promise<WebSocket>;

/** Longer than any test. */
const never = 3_600_000;
const start = async (change: Partial<Config>): Promise<void> => {
  const { port } = heads.address() as AddressInfo;
  const config = { wsUrls: [`ws://127.0.0.1:${port}`], pollIntervalMs: never, headSilenceMs: never, ...change };
  replica = await startReplica(configFor(database, chain.rpcUrl, contract.address, config), topic);
};
const tell = async (socket: WebSocket, change: object = {}): Promise<void> => {
  const head = await chain.request<object>('eth_getBlockByNumber', ['latest', false]);
  const params = { subscription: '0x1', result: { ...head, ...change } };
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
};

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  contract = await createContract(chain);
  topic = createTopic();
  heads = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => heads.once('listening', resolve));
  const taken = Promise.withResolvers<WebSocket>();
  subscribed = taken.promise;
  heads.on('connection', (socket) =>
    socket.on('message', () => {
      socket.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
      taken.resolve(socket);
    }),
  );
});
afterEach(async () => {
  await replica?.stop();
  for (const socket of heads.clients) socket.terminate();
  await new Promise((resolve) => heads.close(resolve));
  await Promise.all([chain.stop(), database.drop()]);
});

describe('subscriptions to new heads', () => {
  it('may be silent: the node is queried all the same', async () => {
    await start({ headSilenceMs: 100 });
    await subscribed;
    await toldOfAll(topic, chain);
    await contract.addObject(alice, cid(1));
    await chain.mine(12);
    expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toHaveLength(1);
  });

  it('may leave heads out: the blocks between are read', async () => {
    await start({});
    const socket = await subscribed;
    await toldOfAll(topic, chain);
    for (let i = 0; i < 3; i++) {
      await contract.addObject(alice, cid(i));
      await chain.mine(10);
      await tell(socket);
      expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toHaveLength(i + 1);
    }
  });

  it('may show a reorg only by its next head: it is found by the parent hash (I4)', async () => {
    await start({});
    const socket = await subscribed;
    await contract.addObject(alice, cid(1));
    await chain.mine(6);
    await tell(socket);
    await toldOfAll(topic, chain);
    await chain.reorg(6);
    await chain.mine();
    await tell(socket);
    expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toEqual([]);
  });

  it('may announce a block that the node does not have: nothing of it is published', async () => {
    await start({});
    const socket = await subscribed;
    await toldOfAll(topic, chain);
    const { hash } = await chain.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false]);
    const bloom = `0x${'f'.repeat(512)}`;
    await tell(socket, { number: '0x2', parentHash: hash, hash: cid(99), logsBloom: bloom });
    await contract.addObject(alice, cid(1));
    await chain.mine(2);
    await tell(socket);
    await toldOfAll(topic, chain);
    expect(topic.messages.map(({ data }) => (data as { hash?: Hex }).hash)).not.toContain(cid(99));
  });

  it('may leave the filter of a head empty: its block is read all the same (I11)', async () => {
    await start({});
    const socket = await subscribed;
    for (const [i, change] of [{}, { logsBloom: `0x${'0'.repeat(512)}` }].entries()) {
      await toldOfAll(topic, chain);
      await contract.addObject(alice, cid(i));
      await chain.mine();
      await tell(socket, change);
      expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toHaveLength(i + 1);
    }
  });
});
