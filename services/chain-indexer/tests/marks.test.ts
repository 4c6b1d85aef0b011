import type { Hex } from '@indelible/identifiers';
import { eventually, type TestAnvil, type TestDatabase, testAnvil } from '@indelible/testing';
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

jest.setTimeout(30_000);

/** anvil calls the block an epoch below its head safe, and the one two epochs below final. */
const safeDepth = 32;
const finalDepth = 64;

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replica: Replica | undefined;

const start = async (change: Partial<Config>): Promise<Replica> => {
  const tags = { finality: { kind: 'tag' }, safe: true } as const;
  replica = await startReplica(configFor(database, chain.rpcUrl, contract.address, { ...tags, ...change }), topic);
  return replica;
};
type Mark = { readonly number: number; readonly hash: Hex };
const marks = (type: 'BlocksSafe' | 'BlocksFinalized') =>
  topic.messages.filter((message) => message.contract.type === type).map(({ data }) => data as Mark);
const hashOnChain = async (number: number): Promise<Hex> =>
  (await chain.request<{ hash: Hex }>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])).hash;

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  contract = await createContract(chain);
  topic = createTopic();
  replica = undefined;
});
afterEach(async () => {
  await replica?.stop();
  await Promise.all([chain.stop(), database.drop()]);
});

describe('safe and final blocks', () => {
  it('are announced by the tags of the node: a block with logs is safe first, then final', async () => {
    const running = await start({ finalityStride: 1_000 });
    await contract.addObject(alice, cid(1));
    await chain.mine();
    await toldOfAll(topic, chain);
    await chain.mine(safeDepth);
    await eventually(() => expect(marks('BlocksSafe')).toEqual([expect.objectContaining({ number: 2 })]));
    expect(marks('BlocksFinalized')).toEqual([]);
    await chain.mine(finalDepth - safeDepth);
    await eventually(() => expect(marks('BlocksFinalized')).toEqual([expect.objectContaining({ number: 2 })]));
    const hash = await hashOnChain(2);
    for (const mark of [...marks('BlocksSafe'), ...marks('BlocksFinalized')]) expect(mark.hash).toBe(hash);
    await eventually(async () => expect(await metricsOf(running)).toMatch(/chain_safe_block\{chain_id="31337"\} 2\n/));
  });

  it('are announced without safe ones where these are not configured', async () => {
    await contract.addObject(alice, cid(1));
    await chain.mine(finalDepth + 10);
    await start({ safe: false });
    await toldOfAll(topic, chain);
    await eventually(() => expect(marks('BlocksFinalized').length).toBeGreaterThan(0));
    expect(marks('BlocksSafe')).toEqual([]);
  });

  it('are announced again after a reorg of what was safe (I4)', async () => {
    await contract.addObject(alice, cid(1));
    await chain.mine(safeDepth + 1);
    await start({ finalityStride: 1_000 });
    await toldOfAll(topic, chain);
    await eventually(() => expect(marks('BlocksSafe').length).toBe(1));
    await chain.reorg(safeDepth + 1);
    await contract.addObject(bob, cid(2));
    await chain.mine(safeDepth + 1);
    await toldOfAll(topic, chain);
    await eventually(() => expect(marks('BlocksSafe').length).toBe(2));
    const last = marks('BlocksSafe').at(-1) as Mark;
    expect(last.hash).toBe(await hashOnChain(last.number));
  });

  it('are announced while a long chain is caught up with, and never beyond what was read', async () => {
    for (let i = 0; i < 5; i++) {
      await contract.addObject(bob, cid(i));
      await chain.mine(60);
    }
    await start({ startBlock: 40, catchUpWindow: 8, finalityStride: 16 });
    await toldOfAll(topic, chain, 40);
    await chain.mine();
    await eventually(() =>
      expect(marks('BlocksFinalized').at(-1)?.number).toBeGreaterThanOrEqual(301 - finalDepth - 16),
    );
    let read = 0;
    let final = 0;
    for (const { contract: type, data } of topic.messages) {
      const { number } = data as Mark;
      if (type.type === 'BlockAppended') read = number;
      else if (type.type === 'BlocksFinalized') {
        expect(number).toBeGreaterThan(final);
        expect(number).toBeLessThanOrEqual(read);
        final = number;
      }
    }
    expect(marks('BlocksFinalized').length).toBeGreaterThan(5);
  });
});
