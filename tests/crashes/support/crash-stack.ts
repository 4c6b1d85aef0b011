import type { ServiceName } from '@indelible/launcher';
import type { FailpointName } from '@indelible/service-runtime';
import { eventually, rpcFaultProxy } from '@indelible/testing';
import { createClient } from '../../e2e/support/client.ts';
import { watchEvents } from '../../public-events/support/watch-events.ts';
import { provideStackServers, startTestStack } from '../../support/test-stack.ts';

/** Long enough for a crash, the start after it, and a consumer group that waits for the dead member. */
export const recoveryMs = 60_000;

/** Short where configurable: the length does not affect what is tested. */
function settingsOf(sessionMs: number): Partial<Record<ServiceName, Record<string, string>>> {
  const group = { KAFKA_SESSION_TIMEOUT_MS: String(sessionMs) };
  return {
    gateway: group,
    stamping: { ...group, LANE_LEASE_MS: '2000', REBROADCAST_MS: '500', REPLACE_AFTER_MS: '4000' },
    storage: { ...group, SWEEP_AFTER_SECONDS: '60', SWEEP_INTERVAL_SECONDS: '2' },
    verification: group,
    notifications: group,
  };
}

export type CrashStack = Awaited<ReturnType<typeof startCrashStack>>;

/** Every service as a process of its own, and a chain whose blocks the test can hold back. */
export async function startCrashStack() {
  const servers = await provideStackServers('crashes');
  const { anvil, kafka } = servers;
  const node = servers.keep(await rpcFaultProxy({ upstream: anvil.rpcUrl }));
  const settings = settingsOf(Math.max(3_000, await kafka.shortestSessionMs()));
  const running = await startTestStack(servers, {
    environment: { ...settings, stamping: { ...settings.stamping, RPC_URL: node.url } },
  });
  const { connection } = running;
  const { services } = running.stack;
  const events = await watchEvents(running, [connection.userAddress]);
  const pooled = async (): Promise<number> =>
    Number((await anvil.request<{ pending: string }>('txpool_status')).pending);
  return {
    ...running,
    /** What subscribers of public events get, who read all the time. */
    events,
    client: createClient(connection.rootUrl, connection.apiKey),
    /** Every transaction stamping ever sent, raw, in order. */
    broadcasts: (): string[] =>
      node.calls.flatMap(({ method, params }) =>
        method === 'eth_sendRawTransaction' ? [(params as readonly string[])[0] as string] : [],
      ),
    async holdBlocks(): Promise<void> {
      await anvil.request('evm_setIntervalMining', [0]);
    },
    async makeBlocks(): Promise<void> {
      await anvil.request('evm_setIntervalMining', [1]);
    },
    /** Resolves when a transaction waits for a block. */
    untilPooled: () => eventually(async () => expectAtLeastOne(await pooled()), { timeoutMs: recoveryMs }),
    /** Restarts a service with a point armed; after its death there it restarts without. */
    async arm(service: ServiceName, point: FailpointName, action = 'kill'): Promise<void> {
      const signal = AbortSignal.timeout(recoveryMs);
      await services[service].untilReady(signal);
      await services[service].restart({ FAILPOINTS: `${point}=${action}` });
      await services[service].untilReady(signal);
    },
    untilAllReady: async (): Promise<void> => {
      const signal = AbortSignal.timeout(recoveryMs);
      await Promise.all(Object.values(services).map((service) => service.untilReady(signal)));
    },
    async stop(): Promise<void> {
      await events.stop();
      await running.stop();
    },
  };
}

function expectAtLeastOne(count: number): void {
  if (count === 0) throw new Error('no transaction waits for a block');
}
