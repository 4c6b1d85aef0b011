import {
  eventually,
  type RpcFaultProxy,
  rpcFaultProxy,
  type TestAnvil,
  type TestDatabase,
  testAnvil,
} from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../src/config.ts';
import { alice, bob, type ContractOnAnvil, cid, createContract } from './contract-on-anvil.ts';
import {
  configFor,
  createTopic,
  metricsOf,
  migratedDatabase,
  type Replica,
  startReplica,
  type Topic,
  toldOfAll,
} from './indexer-harness.ts';
import { uncheckedContractBytecode } from './unchecked-contract.ts';

jest.setTimeout(60_000);

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replica: Replica | undefined;
let proxy: RpcFaultProxy;

const start = async (change: Partial<Config> = {}): Promise<Replica> => {
  const config = configFor(database, proxy.url, contract.address, { wsUrls: [], ...change });
  replica = await startReplica(config, topic);
  return replica;
};
const objectsOf = (logs: readonly { readonly objectCid?: string }[]) => logs.map(({ objectCid }) => objectCid);
const limit = 2 ** 16;
const pad = (value: unknown) => ({ ...(value as object), padding: 'x'.repeat(limit) });

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  [contract, proxy] = await Promise.all([
    createContract(chain, uncheckedContractBytecode),
    rpcFaultProxy({ upstream: chain.rpcUrl }),
  ]);
  topic = createTopic();
  replica = undefined;
});
afterEach(async () => {
  await replica?.stop();
  await proxy.stop();
  await Promise.all([chain.stop(), database.drop()]);
});

describe('what anybody can put on the chain stops nobody (I11, I12)', () => {
  it('passes logs whose user is no address: the others keep their places, and the next block is published', async () => {
    const allOnes = `0x${'f'.repeat(64)}` as const;
    const running = await start();
    await contract.addObject(alice, cid(1));
    await contract.addForUserWord(bob, allOnes, cid(2));
    await contract.addObject(alice, cid(3));
    await chain.mine();
    await contract.addForUserWord(bob, allOnes, cid(4));
    await chain.mine();
    await contract.addObject(alice, cid(5));
    await chain.mine();
    const blocks = await toldOfAll(topic, chain);
    const logs = blocks.slice(-3).map((block) => block.logs);
    expect(logs.map(objectsOf)).toEqual([[cid(1), cid(3)], [], [cid(5)]]);
    expect(new Set(logs[0]?.map(({ logIndex }) => logIndex))).toHaveProperty('size', 2);
    expect(await metricsOf(running)).toContain('indelible_chain_undecodable_logs_total{chain_id="31337"} 2');
  });

  it('reads a block in parts whose receipts are longer than any answer that is taken', async () => {
    proxy.behave('eth_getBlockReceipts', { kind: 'change', change: (receipts) => (receipts as object[]).map(pad) });
    await start({ rpcMaxResponseBytes: limit });
    const objects = Array.from({ length: 60 }, (_, i) => cid(i + 1));
    for (const object of objects) await contract.addObject(alice, object);
    await chain.mine();
    expect(objectsOf((await toldOfAll(topic, chain)).at(-1)?.logs ?? [])).toEqual(objects);
  });

  it.each([
    ['refuses for their size', { kind: 'error', code: -32_008, message: 'Response is too big' }],
    ['is too slow for', { kind: 'swallow' }],
    ['breaks off', { kind: 'break-off' }],
  ] as const)('reads a block in parts whose receipts the node %s', async (_, fault) => {
    proxy.behave('eth_getBlockReceipts', fault);
    await start({ rpcTimeoutMs: 500 });
    await contract.addObject(alice, cid(1));
    await contract.addObject(bob, cid(2));
    await chain.mine();
    expect(objectsOf((await toldOfAll(topic, chain)).at(-1)?.logs ?? [])).toEqual([cid(1), cid(2)]);
  });

  it('halves the parts while they are too long', async () => {
    const quarter = (value: unknown) => ({ ...(value as object), padding: 'x'.repeat(limit / 4) });
    proxy.behave('eth_getBlockReceipts', { kind: 'change', change: (receipts) => (receipts as object[]).map(pad) });
    proxy.behave('eth_getTransactionReceipt', { kind: 'change', change: quarter });
    await start({ rpcMaxResponseBytes: limit });
    const objects = Array.from({ length: 20 }, (_, i) => cid(i + 1));
    for (const object of objects) await contract.addObject(alice, object);
    await chain.mine();
    expect(objectsOf((await toldOfAll(topic, chain)).at(-1)?.logs ?? [])).toEqual(objects);
  });

  it('takes the logs of a receipt that no answer can hold from the index, once that is filled', async () => {
    const first = await contract.addObject(alice, cid(1));
    const huge = await contract.addObject(bob, cid(2));
    const last = await contract.addObject(alice, cid(3));
    await chain.mine();
    proxy.behave('eth_getBlockReceipts', { kind: 'error', code: -32_008, message: 'Response is too big' });
    proxy.behave('eth_getTransactionReceipt', {
      kind: 'change',
      change: (receipt, { params: [hash] }) => (hash === huge ? pad(receipt) : receipt),
    });
    await start({ rpcMaxResponseBytes: limit });
    await eventually(() => expect(proxy.asked('eth_getTransactionReceipt')).toBeGreaterThan(3));
    expect(topic.messages.filter(({ data }) => (data as { number: number }).number === 2)).toEqual([]);
    await chain.mine(3);
    const logs = (await toldOfAll(topic, chain))[1]?.logs ?? [];
    expect(logs.map(({ objectCid }) => objectCid)).toEqual([cid(1), cid(2), cid(3)]);
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([first, huge, last]);
  });

  it('misses no log of a chain that leaves the filters of all its blocks empty', async () => {
    const logsBloom = `0x${'0'.repeat(512)}`;
    const unfiltered = (value: unknown) => (value === null ? null : { ...(value as object), logsBloom });
    for (const method of ['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getTransactionReceipt'])
      proxy.behave(method, { kind: 'change', change: unfiltered });
    proxy.behave('eth_getBlockReceipts', {
      kind: 'change',
      change: (receipts) => (receipts as object[]).map(unfiltered),
    });
    await start();
    await contract.addObject(alice, cid(1));
    await chain.mine(2);
    await contract.addObject(bob, cid(2));
    await contract.addObject(alice, cid(3));
    await chain.mine();
    const logs = (await toldOfAll(topic, chain)).map((block) => objectsOf(block.logs));
    expect(logs.slice(-3)).toEqual([[cid(1)], [], [cid(2), cid(3)]]);
  });
});
