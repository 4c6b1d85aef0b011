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

jest.setTimeout(60_000);

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replica: Replica | undefined;
let proxy: RpcFaultProxy;

const deepFinality: Partial<Config> = { finality: { kind: 'depth', depth: 1_000 } };
const start = async (change: Partial<Config>): Promise<Replica> => {
  const config = configFor(database, proxy.url, contract.address, { wsUrls: [], ...change });
  replica = await startReplica(config, topic);
  return replica;
};
const reverts = () => topic.messages.filter((message) => message.contract.type === 'BlocksReverted');
const idsOf = () => topic.messages.map(({ id }) => id);
const isReady = async (of: Replica): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${of.port()}/health/ready`)).status === 200;

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  [contract, proxy] = await Promise.all([createContract(chain), rpcFaultProxy({ upstream: chain.rpcUrl })]);
  topic = createTopic();
  replica = undefined;
});
afterEach(async () => {
  await replica?.stop();
  await proxy.stop();
  await Promise.all([chain.stop(), database.drop()]);
});

describe('a chain that reorganises itself', () => {
  it('is followed 200 blocks deep, again and again, while what it was is being published (I4, I5)', async () => {
    await chain.mine(220);
    const running = await start(deepFinality);
    await toldOfAll(topic, chain);
    for (let round = 1; round <= 3; round++) {
      await contract.addObject(alice, cid(round));
      await chain.mine(5);
      // Publishing stops: the reverts meet unpublished blocks.
      const publishing = topic.hold();
      await chain.mine();
      await publishing.arrived;
      // A transaction of its own makes each new fork another.
      const transaction = { from: bob, to: bob, value: `0x${round}` };
      await chain.request('anvil_reorg', [200, [[transaction, 0]]]);
      await chain.mine(2);
      publishing.release();
      const blocks = await toldOfAll(topic, chain);
      expect(blocks.flatMap(({ logs }) => logs)).toEqual([]);
    }
    expect(reverts().length).toBeGreaterThanOrEqual(3);
    expect(new Set(idsOf()).size).toBe(idsOf().length);
    const metrics = await metricsOf(running);
    expect(metrics).toMatch(/indelible_chain_reorg_depth_blocks_bucket\{le="128",chain_id="31337"\} 0/);
    expect(metrics).toMatch(/indelible_chain_final_reverted_total\{chain_id="31337"\} 0/);
  });

  it.each(['eth_getBlockByNumber', 'eth_getBlockReceipts'])(
    'is followed when it does so between two questions of catching up (%s) (I4)',
    async (method) => {
      for (let i = 0; i < 6; i++) {
        await contract.addObject(bob, cid(i));
        await chain.mine(10);
      }
      const held = proxy.hold(method);
      await start({ ...deepFinality, catchUpWindow: 8 });
      await held.arrived;
      await chain.reorg(40);
      await contract.addObject(alice, cid(99));
      await chain.mine(3);
      held.release();
      const blocks = await toldOfAll(topic, chain);
      expect(blocks.flatMap(({ logs }) => logs).map(({ objectCid }) => objectCid)).toEqual([cid(0), cid(1), cid(99)]);
    },
  );

  it('is followed to a shorter chain, whether its head was seen before or not (I4)', async () => {
    await chain.mine(20);
    const snapshot = await chain.request<string>('evm_snapshot');
    await contract.addObject(alice, cid(1));
    await chain.mine(150);
    await start(deepFinality);
    await toldOfAll(topic, chain);
    await chain.request('evm_revert', [snapshot]);
    await contract.addObject(bob, cid(2));
    await chain.mine(50);
    const blocks = await toldOfAll(topic, chain);
    expect(blocks).toHaveLength(71);
    expect(blocks.flatMap(({ logs }) => logs)).toMatchObject([{ user: bob, objectCid: cid(2) }]);
  });

  it('is followed from the first block on when its node has lost everything but the genesis (I4)', async () => {
    await start(deepFinality);
    await chain.mine(30);
    await toldOfAll(topic, chain);
    // anvil returns to its start, like a node with an empty database.
    await chain.request('anvil_rollback', [31]);
    expect(Number(await chain.request('eth_blockNumber'))).toBe(0);
    const published = idsOf().length;
    await contract.addObject(alice, cid(1));
    await chain.mine(3);
    const blocks = await toldOfAll(topic, chain);
    expect(blocks).toHaveLength(3);
    expect(topic.messages[published]).toMatchObject({ contract: { type: 'BlocksReverted' } });
  });

  it('is followed below its finality with an alarm, unless configured to halt', async () => {
    await chain.mine(40);
    const running = await start({ finality: { kind: 'depth', depth: 5 } });
    await toldOfAll(topic, chain);
    await eventually(() => expect(topic.messages.map(({ contract }) => contract.type)).toContain('BlocksFinalized'));
    await chain.reorg(30);
    await chain.mine();
    await toldOfAll(topic, chain);
    expect(await metricsOf(running)).toMatch(/indelible_chain_final_reverted_total\{chain_id="31337"\} 1/);
  });

  it('is not followed below its finality where configured to halt: an alarm, not ready, until it is settled by hand', async () => {
    await chain.mine(40);
    const settings = { finality: { kind: 'depth', depth: 5 } } as const;
    const halting = await start({ ...settings, belowFinality: 'halt' });
    const before = await toldOfAll(topic, chain);
    await eventually(() => expect(topic.messages.map(({ contract }) => contract.type)).toContain('BlocksFinalized'));
    await eventually(async () => expect(await isReady(halting)).toBe(true));
    await chain.reorg(30);
    await chain.mine(2);
    await eventually(async () =>
      expect(await metricsOf(halting)).toMatch(/indelible_chain_following\{chain_id="31337",state="halted"\} 1/),
    );
    expect(await isReady(halting)).toBe(false);
    expect(reverts()).toEqual([]);
    expect(before).toHaveLength(41);
    await halting.stop();
    await start({ ...settings, belowFinality: 'follow' });
    await toldOfAll(topic, chain);
    expect(reverts()).toHaveLength(1);
  });
});
