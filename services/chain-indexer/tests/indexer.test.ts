import { zeroCid } from '@indelible/identifiers';
import { eventually, type TestAnvil, type TestDatabase, testAnvil } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { alice, bob, type ContractOnAnvil, cid, createContract } from './contract-on-anvil.ts';
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
let replicas: Replica[];

const start = async (...change: Parameters<typeof configFor>[3][]): Promise<Replica> => {
  const config = configFor(database, chain.rpcUrl, contract.address, Object.assign({}, ...change));
  const replica = await startReplica(config, topic);
  replicas.push(replica);
  return replica;
};
const stop = async (replica: Replica): Promise<void> => {
  replicas = replicas.filter((each) => each !== replica);
  await replica.stop();
};
const typesOf = () => topic.messages.map((message) => message.contract.type);
const ask = async (replica: Replica, path: string) => {
  const response = await fetch(`http://127.0.0.1:${replica.port()}${path}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  contract = await createContract(chain);
  topic = createTopic();
  replicas = [];
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await Promise.all([chain.stop(), database.drop()]);
});

describe('the indexer', () => {
  it('publishes every block with the logs of the contract, in their order', async () => {
    const sent = [
      await contract.addSet(alice, cid(1)),
      await contract.addSetObject(alice, cid(1), cid(2)),
      await contract.addObject(alice, cid(3)),
      await contract.grant(alice, bob),
      await contract.revoke(alice, bob),
    ];
    await chain.mine();
    await chain.mine(3);
    const replica = await start();
    const blocks = await toldOfAll(topic, chain);
    const log = (i: number) => ({ transactionHash: sent[i], logIndex: i, user: alice });
    expect(blocks[1]?.logs).toEqual([
      { kind: 'set', ...log(0), setCid: cid(1) },
      { kind: 'object', ...log(1), setCid: cid(1), objectCid: cid(2) },
      { kind: 'object', ...log(2), setCid: zeroCid, objectCid: cid(3) },
      { kind: 'grant', ...log(3), delegate: bob },
      { kind: 'revoke', ...log(4), delegate: bob },
    ]);
    expect(blocks.filter(({ logs }) => logs.length > 0)).toHaveLength(1);
    await eventually(async () => {
      expect((await ask(replica, '/internal/head')).body).toMatchObject({ chainId: 31337, number: 5, finalized: 0 });
      expect(await ask(replica, '/health/ready')).toMatchObject({ status: 200 });
    });
  });

  it('follows block by block, and catches up when many wait', async () => {
    await start();
    await toldOfAll(topic, chain);
    for (let i = 0; i < 5; i++) {
      await contract.addObject(bob, cid(i));
      await chain.mine();
    }
    expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toHaveLength(5);
    await chain.mine(150);
    expect(await toldOfAll(topic, chain)).toHaveLength(156);
  });

  it('publishes a large block in parts', async () => {
    await contract.addSet(alice, cid(1));
    const objects = Array.from({ length: 2_300 }, (_, i) => cid(i + 10));
    await contract.addSetObjects(alice, cid(1), objects);
    await chain.mine();
    await start();
    const blocks = await toldOfAll(topic, chain);
    expect(blocks[1]?.logs.slice(1).map((log) => log.objectCid)).toEqual(objects);
    const parts = topic.messages.map(({ data }) => data as { number: number; part: number; parts: number });
    expect(parts.filter(({ number }) => number === 2).map(({ part, parts: of }) => `${part}/${of}`)).toEqual([
      '1/3',
      '2/3',
      '3/3',
    ]);
  });

  it.each([1, 2, 4, 40])('reverts the last %i blocks when the chain leaves them, and goes on (I4)', async (depth) => {
    await chain.mine(40);
    await contract.addObject(alice, cid(1));
    await chain.mine();
    await start({ finality: { kind: 'depth', depth: 64 } });
    expect((await toldOfAll(topic, chain)).at(-1)?.logs).toHaveLength(1);
    await chain.reorg(depth);
    const blocks = await toldOfAll(topic, chain);
    expect(blocks).toHaveLength(42);
    expect(blocks.flatMap(({ logs }) => logs)).toHaveLength(0);
    const reverts = topic.messages.filter((message) => message.contract.type === 'BlocksReverted');
    expect(reverts.at(0)?.data).toMatchObject({ ancestor: { number: 42 - depth }, revertedHead: { number: 42 } });
    await contract.addObject(alice, cid(2));
    await chain.mine();
    expect((await toldOfAll(topic, chain)).at(-1)?.logs).toMatchObject([{ objectCid: cid(2) }]);
  });

  it('follows a node that went back, whether that stays there or takes another way (I4)', async () => {
    await chain.mine(3);
    const snapshot = await chain.request<string>('evm_snapshot');
    await contract.addObject(alice, cid(1));
    await chain.mine(2);
    await start();
    expect(await toldOfAll(topic, chain)).toHaveLength(6);
    await chain.request('evm_revert', [snapshot]);
    expect(await toldOfAll(topic, chain)).toHaveLength(4);
    await contract.addObject(alice, cid(2));
    await chain.mine();
    expect((await toldOfAll(topic, chain)).at(-1)?.logs).toMatchObject([{ objectCid: cid(2) }]);
  });

  it('begins again when the node is of another chain', async () => {
    await chain.mine(20);
    const replica = await start();
    await toldOfAll(topic, chain);
    await stop(replica);
    await chain.stop();
    chain = await testAnvil({ automine: false });
    // Two chains that were made in the same second have the same first block.
    await chain.request('evm_increaseTime', ['0x3e8']);
    contract = await createContract(chain);
    await start();
    const count = topic.messages.length;
    const blocks = await toldOfAll(topic, chain);
    expect(blocks).toHaveLength(1);
    expect(topic.messages[count]?.contract.type).toBe('BlocksReverted');
  });

  it('goes on after a restart without a gap or a double, also over a reorg meanwhile (I4, I5)', async () => {
    await chain.mine(3);
    await stop(await start());
    await chain.mine(2);
    const replica = await start();
    await toldOfAll(topic, chain);
    await stop(replica);
    await chain.reorg(2);
    await chain.mine(2);
    await start();
    await toldOfAll(topic, chain);
    expect(new Set(topic.messages.map(({ id }) => id)).size).toBe(topic.messages.length);
  });

  it('has one leader among replicas; another continues when it ends, and publishes nothing twice (I5)', async () => {
    const first = await start();
    const second = await start();
    await chain.mine(3);
    await toldOfAll(topic, chain);
    const { rows } = await database.pool.query(
      "select count(*)::int as held from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())",
    );
    // One follows, one relays.
    expect(rows).toEqual([{ held: 2 }]);
    expect(await ask(second, '/internal/head')).toMatchObject({ status: 200, body: { number: 4 } });
    await stop(first);
    await chain.mine(3);
    await toldOfAll(topic, chain);
    expect(new Set(topic.messages.map(({ id }) => id)).size).toBe(topic.messages.length);
  });

  it('goes on when its sessions are cut, and no two leaders write side by side (I5)', async () => {
    await start();
    await start();
    await toldOfAll(topic, chain);
    for (let i = 0; i < 5; i++) {
      await chain.mine(2);
      await database.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    }
    await chain.mine();
    await toldOfAll(topic, chain);
    await eventually(async () => {
      const { rows } = await database.pool.query('select version from chain.cursor');
      expect(rows).toEqual([{ version: new Set(topic.messages.map(({ id }) => id)).size }]);
    });
  });

  it('announces finality at once for blocks with logs, in strides for others, and forgets what is deep below', async () => {
    await start();
    await contract.addObject(alice, cid(1));
    await chain.mine();
    await chain.mine(5);
    const finals = () =>
      topic.messages
        .filter((message) => message.contract.type === 'BlocksFinalized')
        .map(({ data }) => (data as { number: number }).number);
    await eventually(() => expect(finals().at(-1)).toBeGreaterThanOrEqual(2));
    await chain.mine(600);
    await toldOfAll(topic, chain);
    await eventually(() => expect(finals().at(-1)).toBeGreaterThan(600 - 5 - 2 * 8));
    expect(finals()).toEqual([...new Set(finals())].sort((a, b) => a - b));
    const { rows } = await database.pool.query(
      'select min(number)::int as lowest, count(*)::int as kept from chain.blocks',
    );
    // The anchor stays.
    expect(rows[0]).toMatchObject({ lowest: 0 });
    expect(rows[0].kept).toBeLessThan(512 + 5 + 3 * 8);
  });

  it('keeps no published message, since the chain is the truth', async () => {
    await chain.mine(5);
    await start();
    await toldOfAll(topic, chain);
    await eventually(async () => {
      const { rows } = await database.pool.query('select count(*)::int as kept from chain.events');
      expect(rows).toEqual([{ kept: 0 }]);
    });
  });

  it('waits for the first block, and reads nothing before it', async () => {
    await start({ startBlock: 8 });
    await chain.mine(3);
    await chain.mine(6);
    await toldOfAll(topic, chain, 8);
    expect(typesOf()).not.toContain('BlocksReverted');
  });
});
