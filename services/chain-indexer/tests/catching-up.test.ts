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

jest.setTimeout(60_000);

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replica: Replica | undefined;

const start = async (change: Partial<Config>): Promise<Replica> => {
  replica = await startReplica(configFor(database, chain.rpcUrl, contract.address, change), topic);
  return replica;
};

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

describe('catching up', () => {
  it('reads what anybody wrote to the contract, from a block number on', async () => {
    await contract.addObject(alice, cid(1));
    await chain.mine(20);
    // Neither is an operator’s lane: both write for themselves.
    await contract.addSet(bob, cid(2));
    await contract.addSetObjects(bob, cid(2), [cid(3), cid(4)]);
    await contract.addObject(alice, cid(5));
    await chain.mine(30);
    await start({ startBlock: 10 });
    const logs = (await toldOfAll(topic, chain, 10)).flatMap((block) => block.logs);
    expect(logs.map(({ kind, user, objectCid }) => [kind, user, objectCid])).toEqual([
      ['set', bob, undefined],
      ['object', bob, cid(3)],
      ['object', bob, cid(4)],
      ['object', alice, cid(5)],
    ]);
  });

  it('reads blocks so full that a few are as much as is read at once, each log once and in order', async () => {
    await contract.addSet(alice, cid(1));
    const perBlock = 3_000;
    for (let block = 0; block < 6; block++) {
      const objects = Array.from({ length: perBlock }, (_, i) => cid(block * perBlock + i + 10));
      await contract.addSetObjects(alice, cid(1), objects);
      await chain.mine();
    }
    await chain.mine(20);
    await start({ catchUpWindow: 50 });
    const logs = (await toldOfAll(topic, chain)).flatMap((block) => block.logs).slice(1);
    expect(logs.map(({ objectCid }) => objectCid)).toEqual(Array.from({ length: 6 * perBlock }, (_, i) => cid(i + 10)));
  });

  it('waits when nothing can be published: what it stores is bounded, and goes on by itself', async () => {
    const publishing = topic.hold();
    await chain.mine(300);
    const running = await start({ maxUnpublished: 100, finality: { kind: 'depth', depth: 1_000 } });
    await publishing.arrived;
    await eventually(async () =>
      expect(await metricsOf(running)).toMatch(/indelible_chain_following\{chain_id="31337",state="full"\} 1/),
    );
    const { rows } = await database.pool.query('select count(*)::int as stored from chain.events');
    expect(rows[0].stored).toBeGreaterThanOrEqual(100);
    expect(rows[0].stored).toBeLessThan(100 + 16);
    expect(await metricsOf(running)).toMatch(/indelible_chain_lag_blocks\{chain_id="31337"\} [1-9]/);
    publishing.release();
    expect(await toldOfAll(topic, chain)).toHaveLength(301);
    await eventually(async () =>
      expect(await metricsOf(running)).toMatch(/indelible_chain_lag_seconds\{chain_id="31337"\} 0/),
    );
  });
});
