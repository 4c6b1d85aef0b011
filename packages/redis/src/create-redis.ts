import {
  createBackoff,
  createOutageLog,
  describeNeighbour,
  type Logger,
  neighboursOf,
  type RedisAccess,
} from '@indelible/service-runtime';
import { Redis } from 'ioredis';
import { accessOptions } from './access-options.ts';
import { boundedOr } from './bounded.ts';

export type CreateRedisOptions = {
  /** The connection's name on the server, for operators. */
  name: string;
  logger: Logger;
  /** Its certificate authority and its sentinels. */
  access?: RedisAccess | undefined;
  /** Default 250 ms. */
  commandTimeoutMs?: number;
  /** Milliseconds of a monotonic clock, by which outages are reported. */
  now?: () => number;
};

/** The most time for a command: Redis is there to save time, so it must not cost more. */
export const defaultCommandTimeoutMs = 250;

const reconnectAfter = createBackoff({ firstMs: 100, ceilingMs: 2000 });

/** Reports for a connection when its server is unreachable. */
type Report = (redis: Redis) => void;

/**
 * The common outage log of a process' connections to one server: a line at the start, some with how long, one at the
 * end.
 */
const createReport = (
  url: string,
  { access, logger, now }: Pick<CreateRedisOptions, 'access' | 'logger' | 'now'>,
): Report => {
  const waitingFor = neighboursOf({ redisUrl: url, redisAccess: access }).map(describeNeighbour).join();
  const outage = createOutageLog({ logger, waitingFor, ...(now && { now }) });
  const lost = new Set<Redis>();
  return (redis) => {
    // An error without a listener would end the process.
    redis.on('error', (error: Error) => {
      lost.add(redis);
      outage.failed(error);
    });
    redis.on('ready', () => {
      lost.delete(redis);
      if (lost.size === 0) outage.ended();
    });
  };
};

/** Of connections that also have subscribers. */
const reports = new WeakMap<Redis, Report>();

/**
 * A connection that opens in the background and reconnects when lost. While disconnected, commands are rejected at once
 * instead of queued: users of Redis here can go on without it. Commands in flight at a loss are rejected and never
 * resent.
 */
export const createRedis = (url: string, options: CreateRedisOptions): Redis => {
  const redis = new Redis(url, {
    ...accessOptions(url, options.access),
    connectionName: options.name,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? defaultCommandTimeoutMs,
    connectTimeout: 1000,
    // A dead peer is noticed at the first command without a response.
    socketTimeout: 2000,
    keepAlive: 10_000,
    disconnectTimeout: 250,
    retryStrategy: reconnectAfter,
  });
  const report = createReport(url, options);
  report(redis);
  reports.set(redis, report);
  return redis;
};

const pingIntervalMs = 5000;

/**
 * A second connection with the same settings, for subscriptions. It does not resubscribe by itself: messages published
 * meanwhile are lost, so its user must know. It pings, because a subscriber that only listens would never notice a dead
 * server.
 */
export const createSubscriber = (redis: Redis, options: { name: string }): Redis => {
  const report = reports.get(redis);
  if (report === undefined) throw new Error('a subscriber stands beside a connection of createRedis');
  const name = `${redis.options.connectionName ?? 'indelible'}:${options.name}`;
  const subscriber = redis.duplicate({
    connectionName: name,
    enableAutoPipelining: false,
    autoResubscribe: false,
    commandTimeout: 1000,
  });
  report(subscriber);
  const pinging = setInterval(() => {
    if (subscriber.status === 'ready') subscriber.ping().catch(() => undefined);
  }, pingIntervalMs);
  // A connection closed while it waits to reconnect never emits its end.
  pinging.unref();
  subscriber.once('end', () => clearInterval(pinging));
  return subscriber;
};

const closeTimeoutMs = 3000;

/** Ends the connection without waiting for a server that may not answer. */
export const closeRedis = async (redis: Redis): Promise<void> => {
  const hasSocket = !['wait', 'reconnecting', 'end'].includes(redis.status);
  const ended = new Promise<void>((resolve) => redis.once('end', () => resolve()));
  redis.disconnect();
  if (hasSocket) await boundedOr(ended, undefined, closeTimeoutMs);
};
