import { type RpcFaultProxy, rpcFaultProxy } from '@indelible/testing';
import { expect } from '@jest/globals';
import { type Api, createApi } from '../../contract/support/api.ts';
import { type ContractStack, startContractStack } from '../../contract/support/contract-stack.ts';
import { type EventWatch, watchEvents } from '../../public-events/support/watch-events.ts';
import { expectOrdinaryStamp, openTenant } from './tenants.ts';

/** Bounds low enough for a test to reach. */
export const bounds = {
  /** Requests that wait for an outcome. */
  waiting: 600,
  /** Stamps per transaction, and transactions in no block. */
  batchItems: 100,
  batchesInFlight: 16,
  /** Bytes of one answer of the indexer's node. */
  answerBytes: 2 ** 20,
  /** Blocks until one is final. */
  finality: 12,
} as const;

/**
 * All services with two tenants, shared by all cases: none restarts a process. Stamping has two nodes, the indexer one;
 * each misbehaves when a case requests it.
 */
export type HostileSystem = {
  readonly stack: ContractStack;
  /** The tenant that causes the fault, and another. */
  readonly ada: Api;
  readonly bob: Api;
  readonly events: EventWatch;
  /** `second` is the one that stamping uses after `first`. */
  readonly nodes: { readonly first: RpcFaultProxy; readonly second: RpcFaultProxy; readonly indexer: RpcFaultProxy };
  /** Both tenants' ordinary stamps are confirmed in time, without restarting a process (I11, I12). */
  expectServiceGoesOn(): Promise<void>;
  stop(): Promise<void>;
};

export async function startHostileSystem(): Promise<HostileSystem> {
  let proxies: RpcFaultProxy[] = [];
  const stack = await startContractStack(async (upstream) => {
    proxies = await Promise.all([1, 2, 3].map(() => rpcFaultProxy({ upstream })));
    const [first, second, indexer] = proxies.map(({ url }) => url);
    return {
      // Clients may stall for as long as in production; and on any machine a test ends before the wait for the chain.
      gateway: { STALLED_MS: '30000', WAIT_LIMIT_MS: '60000', MAX_WAITING: String(bounds.waiting) },
      stamping: {
        RPC_URL: `${first},${second}`,
        ...{ REBROADCAST_MS: '1000', REPLACE_AFTER_MS: '3000' },
        MAX_BATCH_ITEMS: String(bounds.batchItems),
        MAX_BATCHES_IN_FLIGHT: String(bounds.batchesInFlight),
      },
      'chain-indexer': {
        ...{ RPC_URL: indexer as string, RPC_WS_URL: upstream.replace('http', 'ws') },
        RPC_MAX_RESPONSE_BYTES: String(bounds.answerBytes),
        ...{ FINALITY: 'depth', FINALITY_DEPTH: String(bounds.finality), FINALITY_STRIDE: '4' },
      },
    };
  });
  const [first, second, indexer] = proxies as [RpcFaultProxy, RpcFaultProxy, RpcFaultProxy];
  let events: EventWatch | undefined;
  const stop = async (): Promise<void> => {
    await events?.stop();
    await stack.stop();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  };
  try {
    events = await watchEvents(stack, [stack.connection.userAddress]);
    const ada = createApi(stack);
    const bob = await openTenant(stack, 'Bob');
    const expectServiceGoesOn = async (): Promise<void> => {
      await Promise.all([expectOrdinaryStamp(ada), expectOrdinaryStamp(bob)]);
      expect(stack.log.filter((line) => /ended|starting it again/i.test(line) && !line.includes('{'))).toEqual([]);
    };
    await expectServiceGoesOn();
    return { stack, ada, bob, events, nodes: { first, second, indexer }, expectServiceGoesOn, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
