import {
  eventually,
  type ProxyFault,
  type RpcFaultProxy,
  rpcFaultProxy,
  type TestAnvil,
  type TestDatabase,
  testAnvil,
  withoutLogs,
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

const start = async (change: Partial<Config> = {}): Promise<Replica> => {
  const config = configFor(database, proxy.url, contract.address, { wsUrls: [], ...change });
  replica = await startReplica(config, topic);
  return replica;
};
const typesOf = () => topic.messages.map((message) => message.contract.type);
const change = (act: (result: unknown[]) => unknown): ProxyFault => ({
  kind: 'change',
  change: (result) => act(structuredClone(result) as unknown[]),
});
const damages: ReadonlySet<ProxyFault['kind']> = new Set(['truncate', 'page', 'break-off', 'wrong-id']);
type Receipt = { logs: unknown[]; blockHash: string };

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

describe('the indexer of a faulty node', () => {
  const lacking: readonly { readonly what: string; readonly fault: ProxyFault }[] = [
    { what: 'lack the last of them', fault: change((receipts) => receipts.slice(0, -1)) },
    { what: 'lack the first of them', fault: change((receipts) => receipts.slice(1)) },
  ];

  it.each<{ readonly what: string; readonly fault: ProxyFault }>([
    { what: 'are not there yet', fault: { kind: 'result', result: null } },
    { what: 'are without their logs', fault: withoutLogs },
    ...lacking,
    {
      what: 'lack one log of several',
      fault: change((receipts) => {
        (receipts[1] as Receipt).logs.splice(1, 1);
        return receipts;
      }),
    },
    {
      what: 'are of another block',
      fault: change((receipts) => (receipts as Receipt[]).map((each) => ({ ...each, blockHash: cid(1) }))),
    },
    { what: 'are cut off within the JSON', fault: { kind: 'truncate' } },
    { what: 'come as a page of a proxy', fault: { kind: 'page', body: '<html>' } },
    {
      what: 'are an error of a node that is still at it',
      fault: { kind: 'error', code: -32_000, message: 'unknown block' },
    },
    { what: 'are refused by a rate limit', fault: { kind: 'status', status: 429, retryAfter: '0' } },
    { what: 'break off', fault: { kind: 'break-off' } },
    { what: 'answer another question', fault: { kind: 'wrong-id' } },
  ])('misses no commitment when the receipts of a block $what', async ({ fault }) => {
    await contract.addSet(alice, cid(1));
    await contract.addSetObjects(alice, cid(1), [cid(2), cid(3), cid(4)]);
    await contract.addObject(bob, cid(5));
    await chain.mine();
    // When one response fails, the receipts are read in parts, beginning with the block.
    const methods = ['eth_getBlockReceipts', 'eth_getBlockByHash'];
    proxy.behave('eth_getBlockReceipts', fault);
    if (damages.has(fault.kind)) proxy.behave('eth_getBlockByHash', fault);
    // What the list lacks is looked up by its transaction.
    if (lacking.some((one) => one.fault === fault))
      proxy.behave('eth_getTransactionReceipt', { kind: 'result', result: null });
    // The contract's creation block has receipts without logs, which these faults would hit first.
    const running = await start({ startBlock: 2 });
    // As often as the client retries by itself, plus one.
    await eventually(() => {
      const requests = methods.reduce((sum, method) => sum + proxy.asked(method), 0);
      expect(requests).toBeGreaterThan(damages.has(fault.kind) ? 6 : 3);
    });
    expect(topic.messages.filter(({ data }) => (data as { number: number }).number === 2)).toEqual([]);
    proxy.heal();
    const blocks = await toldOfAll(topic, chain, 2);
    expect(blocks.at(-1)?.logs.map(({ objectCid }) => objectCid)).toEqual([undefined, cid(2), cid(3), cid(4), cid(5)]);
    expect(await metricsOf(running)).toMatch(
      /indelible_chain_faults_total\{chain_id="31337",kind="rpc-[a-z-]+"\} [1-9]/,
    );
  });

  it.each(lacking)(
    'follows a chain of whose blocks the receipts always $what: it looks each up (I11)',
    async ({ fault }) => {
      proxy.behave('eth_getBlockReceipts', fault);
      await contract.addObject(alice, cid(1));
      await contract.addObject(bob, cid(2));
      await chain.mine();
      await start();
      expect((await toldOfAll(topic, chain)).at(-1)?.logs).toMatchObject([
        { objectCid: cid(1) },
        { objectCid: cid(2) },
      ]);
    },
  );

  it('takes receipts one by one of a node that does not have them by block', async () => {
    proxy.behave('eth_getBlockReceipts', { kind: 'error', code: -32_601, message: 'Method not found' });
    await contract.addObject(alice, cid(1));
    await contract.addObject(bob, cid(2));
    await chain.mine();
    await start();
    expect((await toldOfAll(topic, chain)).at(-1)?.logs).toMatchObject([{ objectCid: cid(1) }, { objectCid: cid(2) }]);
  });

  it('takes no log of an index that nodes fill later than their chain', async () => {
    proxy.behave('eth_getLogs', { kind: 'result', result: [] });
    await contract.addObject(alice, cid(1));
    await chain.mine();
    await start();
    expect((await toldOfAll(topic, chain)).at(-1)?.logs).toHaveLength(1);
    expect(proxy.asked('eth_getLogs')).toBe(0);
  });

  it('requests nothing more where the filter of the block rules the contract out', async () => {
    await chain.mine(20);
    await start({ startBlock: 2 });
    await toldOfAll(topic, chain, 2);
    expect(proxy.asked('eth_getBlockReceipts')).toBe(0);
  });

  it.each<{ readonly what: string; readonly fault: ProxyFault }>([
    { what: 'are cut off within the JSON', fault: { kind: 'truncate' } },
    {
      what: 'are of other numbers',
      fault: { kind: 'change', change: (block) => ({ ...(block as object), number: '0x3' }) },
    },
    { what: 'have gaps', fault: { kind: 'result', result: null } },
    { what: 'are malformed', fault: { kind: 'change', change: (block) => ({ ...(block as object), hash: '0x' }) } },
  ])('reads on when headers $what for a while', async ({ fault }) => {
    await start();
    await toldOfAll(topic, chain);
    proxy.behave('eth_getBlockByNumber', fault, 12);
    await contract.addObject(alice, cid(1));
    await chain.mine(30);
    const asked = proxy.asked('eth_getBlockByNumber');
    await eventually(() => expect(proxy.asked('eth_getBlockByNumber')).toBeGreaterThan(asked + 12));
    expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toHaveLength(1);
    expect(typesOf()).not.toContain('BlocksReverted');
  });

  it('publishes nothing of a node of another chain, and is not ready', async () => {
    proxy.behave('eth_chainId', { kind: 'result', result: '0x1' });
    const running = await start();
    await chain.mine(3);
    await eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${running.port()}/health/ready`);
      expect(await response.json()).toMatchObject({ status: 'waiting', waiting: ['follower of chain 31337'] });
    });
    await eventually(async () =>
      expect(await metricsOf(running)).toMatch(/faults_total\{.*kind="wrong-chain"\} [1-9]/),
    );
    expect(topic.messages).toEqual([]);
    expect((await fetch(`http://127.0.0.1:${running.port()}/internal/head`)).status).toBe(503);
  });

  it('goes on when the node was away', async () => {
    await start();
    await toldOfAll(topic, chain);
    proxy.behave('*', { kind: 'reset' });
    await chain.mine(3);
    const count = proxy.calls.length;
    await eventually(() => expect(proxy.calls.length).toBeGreaterThan(count + 2));
    proxy.heal();
    expect(await toldOfAll(topic, chain)).toHaveLength(4);
  });

  it('reads on at another node while the first lags behind, and takes nothing back', async () => {
    proxy.lag(12);
    await chain.mine(20);
    await start({ rpcUrls: [proxy.url, chain.rpcUrl] });
    expect(await toldOfAll(topic, chain)).toHaveLength(21);
    await contract.addObject(alice, cid(1));
    await chain.mine(20);
    expect(await toldOfAll(topic, chain)).toHaveLength(41);
    proxy.heal();
    await chain.mine(5);
    expect(await toldOfAll(topic, chain)).toHaveLength(46);
    expect(typesOf()).not.toContain('BlocksReverted');
  });

  it('leaves a node of another chain out where another is right', async () => {
    proxy.behave('eth_chainId', { kind: 'result', result: '0x1' });
    await start({ rpcUrls: [proxy.url, chain.rpcUrl] });
    await chain.mine(3);
    expect(await toldOfAll(topic, chain)).toHaveLength(4);
    expect(proxy.calls.map(({ method }) => method)).not.toContain('eth_getBlockByNumber');
  });
});
