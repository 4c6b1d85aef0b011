import type { Hex } from '@indelible/identifiers';
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

jest.setTimeout(90_000);

const steps = 60;
const methods = ['eth_getBlockByNumber', 'eth_getBlockReceipts', 'eth_chainId', '*'] as const;
const faults: readonly ProxyFault[] = [
  { kind: 'truncate' },
  { kind: 'break-off' },
  { kind: 'reset' },
  { kind: 'wrong-id' },
  { kind: 'page', body: '<html>' },
  { kind: 'result', result: null },
  { kind: 'error', code: -32_000, message: 'header not found' },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 429, retryAfter: '0' },
];

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replica: Replica;
let proxy: RpcFaultProxy;

const start = async (): Promise<void> => {
  const settings = { wsUrls: [], finality: { kind: 'depth', depth: 25 }, catchUpWindow: 7 } as const;
  replica = await startReplica(configFor(database, proxy.url, contract.address, settings), topic);
};

/** The same numbers for the same seed (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  [contract, proxy] = await Promise.all([createContract(chain), rpcFaultProxy({ upstream: chain.rpcUrl })]);
  topic = createTopic();
  await start();
});
afterEach(async () => {
  await replica.stop();
  await proxy.stop();
  await Promise.all([chain.stop(), database.drop()]);
});

describe('the indexer in a storm', () => {
  it.each([1, 2])(
    'publishes the chain as it is once it is quiet, whatever happened before (seed %i) (I4, I5)',
    async (seed) => {
      const random = createRandom(seed);
      let held: ReturnType<Topic['hold']> | undefined;
      let made = 0;
      const acts: readonly (() => Promise<void> | void)[] = [
        () => chain.mine(1 + random(12)),
        async () => {
          for (let i = random(4); i >= 0; i--) await contract.addObject(random(2) === 0 ? alice : bob, cid(++made));
          await chain.mine();
        },
        async () => {
          const depth = Math.min(1 + random(35), Number(await chain.request('eth_blockNumber')) - 2);
          // A transaction of its own makes each new fork another.
          const transaction = { from: bob, to: bob, value: `0x${(++made).toString(16)}` };
          if (depth > 0) await chain.request('anvil_reorg', [depth, [[transaction, 0]]]);
        },
        async () => {
          const back = Math.min(1 + random(10), Number(await chain.request('eth_blockNumber')) - 2);
          if (back > 0) await chain.request('anvil_rollback', [back]);
        },
        () => {
          const method = methods[random(methods.length)] as string;
          proxy.behave(method, faults[random(faults.length)] as ProxyFault, 1 + random(6));
        },
        () => proxy.behave('eth_getBlockReceipts', withoutLogs, 1 + random(4)),
        () => proxy.lag(random(8)),
        () => proxy.heal(),
        () => {
          held?.release();
          held = random(2) === 0 ? topic.hold() : undefined;
        },
        async () => {
          held?.release();
          await replica.stop();
          await start();
        },
      ];
      for (let step = 0; step < steps; step++) {
        await acts[random(acts.length)]?.();
        // A few requests later, so that the next step interrupts whatever is in progress.
        const asked = proxy.calls.length + random(12);
        await eventually(() => expect(proxy.calls.length).toBeGreaterThanOrEqual(asked), { intervalMs: 1 });
      }
      held?.release();
      proxy.heal();
      // Beyond everything read before: only a fork makes it give up final blocks.
      await contract.addObject(alice, cid(++made));
      await chain.mine(60);

      const blocks = await toldOfAll(topic, chain);
      type Log = { readonly transactionHash: Hex; readonly logIndex: Hex };
      const filter = { address: contract.address, fromBlock: '0x0', toBlock: 'latest' };
      const logs = await chain.request<readonly Log[]>('eth_getLogs', [filter]);
      const placeOf = ({ transactionHash, logIndex }: { transactionHash: Hex; logIndex: Hex | number }) =>
        `${transactionHash} ${Number(logIndex)}`;
      expect(blocks.flatMap((block) => block.logs).map(placeOf)).toEqual(logs.map(placeOf));
      // A fact may be published again, unchanged and with its own id.
      const facts = new Map<string, string>();
      for (const { id, data } of topic.messages) {
        expect(facts.get(id) ?? JSON.stringify(data)).toBe(JSON.stringify(data));
        facts.set(id, JSON.stringify(data));
      }
    },
  );
});
