import type { Hex } from '@indelible/identifiers';
import { type BlockAppended, type ChainPosition, rewound, wayOfBlock, wayOfRevert } from '@indelible/messages';
import { eventually, rpcFaultProxy, type TestAnvil, type TestDatabase, testAnvil } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../src/config.ts';
import type { Published } from './chain-reader.ts';
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

jest.setTimeout(60_000);

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replicas: Replica[];

const start = async (change: Partial<Config> = {}): Promise<Replica> => {
  const replica = await startReplica(configFor(database, chain.rpcUrl, contract.address, change), topic);
  replicas.push(replica);
  return replica;
};
const request = async (replica: Replica, body: unknown) => {
  const response = await fetch(`http://127.0.0.1:${replica.port()}/internal/blocks/republish`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
const addBlocks = async (count: number, first = 1): Promise<void> => {
  for (let i = 0; i < count; i++) {
    await contract.addObject(alice, cid(first + i));
    await chain.mine();
  }
};
const numberOf = ({ data }: Published) => (data as { number: number }).number;
const blocksIn = (messages: readonly Published[]) =>
  messages.filter(({ contract: { type } }) => type === 'BlockAppended').map(numberOf);
const marksIn = (messages: readonly Published[]) =>
  messages.filter(({ contract: { type } }) => type === 'BlocksFinalized').map(numberOf);

/** The objects that a consumer has, and whether it lacks blocks: like all consumers, it drops what does not follow. */
function consume(messages: readonly Published[]) {
  let position: ChainPosition | undefined;
  let missing: number | undefined;
  let objects: { readonly number: number; readonly cids: readonly (Hex | undefined)[] }[] = [];
  for (const {
    contract: { type },
    data,
  } of messages) {
    const way =
      type === 'BlockAppended'
        ? wayOfBlock(position, data as BlockAppended)
        : type === 'BlocksReverted'
          ? wayOfRevert(position, data as Parameters<typeof wayOfRevert>[1])
          : undefined;
    if (way?.kind === 'gap') missing = way.from;
    else if (way?.kind === 'fork' && position !== undefined) {
      position = rewound(position, null);
      missing = position.number + 1;
      objects = objects.filter(({ number }) => number <= (position?.number ?? 0));
    } else if (way?.kind === 'follows') {
      missing = undefined;
      const block = data as BlockAppended;
      const { ancestor } = data as { ancestor?: { number: number; hash: Hex } };
      position =
        ancestor === undefined
          ? { number: block.number, hash: block.hash, part: block.part, complete: block.part === block.parts }
          : { ...ancestor, part: 1, complete: true };
      if (ancestor !== undefined) objects = objects.filter(({ number }) => number <= ancestor.number);
      else objects.push({ number: block.number, cids: block.logs.map(({ objectCid }) => objectCid) });
    }
  }
  return { number: position?.number, missing, objects: objects.flatMap(({ cids }) => cids) };
}

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  contract = await createContract(chain);
  topic = createTopic();
  replicas = [];
});
afterEach(async () => {
  for (const replica of replicas) await replica.stop();
  await Promise.all([chain.stop(), database.drop()]);
});

describe('publishing blocks again (I11)', () => {
  it('repeats blocks with the same content and other ids, in order, then the marks; live blocks continue', async () => {
    const replica = await start();
    await addBlocks(9);
    await toldOfAll(topic, chain);
    await eventually(() => expect(marksIn(topic.messages).at(-1)).toBe(5));
    const before = [...topic.messages];
    expect(await request(replica, { from: 4 })).toEqual({ status: 202, body: { from: 4 } });
    await eventually(() => expect(topic.messages.length).toBeGreaterThanOrEqual(before.length + 8));
    const again = topic.messages.slice(before.length);
    expect(blocksIn(again)).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(again.at(-1)).toMatchObject({ contract: { type: 'BlocksFinalized' }, data: { number: 5 } });
    const dataOf = (messages: readonly Published[], number: number) =>
      messages.find((message) => message.contract.type === 'BlockAppended' && numberOf(message) === number)?.data;
    for (const number of blocksIn(again)) expect(dataOf(again, number)).toEqual(dataOf(before, number));
    expect(new Set(topic.messages.map(({ id }) => id)).size).toBe(topic.messages.length);
    await addBlocks(1, 20);
    await eventually(() => expect(blocksIn(topic.messages).at(-1)).toBe(11));
    expect(consume(topic.messages)).toMatchObject({ number: 11, missing: undefined });
  });

  it('fills the gap of a consumer that lost a record, and of one that lost a revert (I4)', async () => {
    const replica = await start();
    await addBlocks(4);
    await toldOfAll(topic, chain);
    await chain.reorg(2);
    await addBlocks(3, 50);
    const whole = await toldOfAll(topic, chain);
    const lost = topic.messages.findIndex((message) => blocksIn([message])[0] === 3);
    const revertAt = topic.messages.findIndex(({ contract: { type } }) => type === 'BlocksReverted');
    const without = (place: number) => topic.messages.filter((_, i) => i !== place);
    expect(consume(without(lost))).toMatchObject({ number: 2, missing: 3 });
    expect(consume(without(revertAt)).missing).toBe(1);
    const count = topic.messages.length;
    expect((await request(replica, { from: 0 })).body).toEqual({ from: 1 });
    await eventually(() => expect(blocksIn(topic.messages.slice(count)).at(-1)).toBe(whole.at(-1)?.number));
    const expected = whole.flatMap(({ logs }) => logs.map(({ objectCid }) => objectCid));
    for (const place of [lost, revertAt, -1])
      expect(consume(without(place))).toEqual({ number: whole.at(-1)?.number, missing: undefined, objects: expected });
  });

  it('is one run for many requests, from the lowest, and continues after the leader was stopped', async () => {
    const first = await start({ catchUpWindow: 1 });
    await addBlocks(9);
    await toldOfAll(topic, chain);
    const { arrived, release } = topic.hold();
    const count = topic.messages.length;
    for (const from of [8, 3, 6]) await request(first, { from });
    await addBlocks(1, 20);
    await arrived;
    replicas = [];
    const stopped = first.stop();
    release();
    await stopped;
    const second = await start({ catchUpWindow: 1 });
    expect((await request(second, { from: 9 })).status).toBe(202);
    await eventually(() => {
      const again = blocksIn(topic.messages.slice(count));
      expect(again).toEqual(expect.arrayContaining([3, 4, 5, 6, 7, 8, 9, 10, 11]));
    });
    // A consumer at the head drops all of it.
    expect(consume(topic.messages)).toMatchObject({ number: 11, missing: undefined });
  });

  it('does not hold up live blocks while the node has lost those to be published again', async () => {
    const proxy = await rpcFaultProxy({ upstream: chain.rpcUrl });
    try {
      await addBlocks(5);
      const replica = await start({ rpcUrls: [proxy.url], wsUrls: [] });
      await toldOfAll(topic, chain);
      proxy.behave('eth_getBlockByNumber', {
        kind: 'change',
        change: (block, { params: [number] }) => (Number(number) <= 3 ? null : block),
      });
      const count = topic.messages.length;
      await request(replica, { from: 2 });
      for (const number of [7, 8, 9]) {
        await addBlocks(1, 10 * number);
        await eventually(() => expect(blocksIn(topic.messages.slice(count))).toContain(number));
      }
      expect(blocksIn(topic.messages.slice(count))).toEqual([7, 8, 9]);
      proxy.heal();
      await eventually(() => expect(blocksIn(topic.messages.slice(count)).slice(3)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]), {
        timeoutMs: 20_000,
      });
    } finally {
      await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
      await proxy.stop();
    }
  });

  it.each([{}, { from: -1 }, { from: '4' }, { from: 1.5 }])('refuses a request of %j', async (body) => {
    const replica = await start();
    await toldOfAll(topic, chain);
    expect((await request(replica, body)).status).toBe(400);
  });

  it('is not possible before the first block', async () => {
    const replica = await start({ startBlock: 50 });
    expect((await request(replica, { from: 1 })).status).toBe(503);
  });
});
