import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName, Stack } from '@indelible/launcher';
import { PART_NAMES, type PartName } from '@indelible/launcher/servers';
import { lookInto } from '@indelible/testing';
import { type EventWatch, watchEvents } from '../../public-events/support/watch-events.ts';
import { startServices } from '../../support/test-stack.ts';
import { type FailingServer, startFailingServer } from './failing-server.ts';

/** Every service as its own process, on servers of its own that can be taken away one by one. */
export type FailingStack = Awaited<ReturnType<typeof startFailingStack>>;

/** An answer that is not known within this time is a 503 with a status resource. */
export const waitLimitMs = 6_000;

export async function startFailingStack(environment: Partial<Record<ServiceName, Record<string, string>>> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'indelible-outages-'));
  const started = await Promise.allSettled(
    PART_NAMES.map(async (part) => [part, await startFailingServer(part, directory)] as const),
  );
  const servers = Object.fromEntries(
    started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
  ) as Record<PartName, FailingServer>;
  const log: string[] = [];
  const restarts: string[] = [];
  let stack: Stack | undefined;
  let events: EventWatch | undefined;
  let pool: ReturnType<typeof lookInto> | undefined;
  const stop = async (): Promise<void> => {
    await events?.stop();
    await pool?.end();
    await stack?.stop();
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    const addresses = {
      databaseUrl: servers.postgres.address,
      kafkaBrokers: servers.kafka.address,
      schemaRegistryUrl: servers.registry.address,
      redisUrl: servers.redis.address,
      rpcUrl: servers.anvil.address,
    };
    const place = { directory: join(directory, 'services'), addresses, topicPrefix: '' };
    stack = await startServices(place, {
      environment: {
        ...environment,
        gateway: { WAIT_LIMIT_MS: String(waitLimitMs), ...environment.gateway },
        stamping: { REBROADCAST_MS: '1000', ...environment.stamping },
      },
      onLine: (service, line) => {
        log.push(`${service} ${line}`);
        if (/^ended with .*; starting again in /.test(line)) restarts.push(`${service} ${line}`);
      },
    });
    pool = lookInto(servers.postgres.address);
    events = await watchEvents({ stack, pool, topicPrefix: '' }, [stack.connection.userAddress]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    servers,
    services: stack.services,
    startReplica: stack.startReplica,
    connection: stack.connection,
    /** What subscribers of public events are given, who read all the time. */
    events,
    log,
    /** Services that ended and were started again by their supervisor. */
    restarts,
    stop,
  };
}
