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
  /** What the connection is called on the server, for operators. */
  name: string;
  logger: Logger;
  /** Its certificate authority and its sentinels. */
  access?: RedisAccess | undefined;
  /** Default 250 ms. */
  commandTimeoutMs?: number;
  /** Milliseconds of a monotonic clock, by which outages are reported. */
  now?: () => number;
};

/** How long a command may take: without Redis the service is slower, so Redis may not be what makes it slow. */
export const defaultCommandTimeoutMs = 250;

const reconnectAfter = createBackoff({ firstMs: 100, ceilingMs: 2000 });

/** Reports for a connection when its server is unreachable. */
type Report = (redis: Redis) => void;

/** What the connections of a process to one server say together: a line when it begins, some with how long, one when all are back. */
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

/** Of connections that have subscribers beside them. */
const reports = new WeakMap<Redis, Report>();

/**
 * A connection that is made in the background and made again when it is lost. While there is none, commands are
 * rejected at once instead of queued: who uses Redis here can go on without it. Commands in flight when it is lost are
 * rejected and never sent twice.
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
    // A peer that is gone without a word is noticed by the first command it does not answer.
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
 * A second connection with the same settings, for subscriptions. It subscribes to nothing again by itself: what was
 * published meanwhile is lost, so its user must know. It pings, because a subscriber that only listens would never
 * notice that its server is gone without a word.
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
  // A connection closed while it waits to connect again never says that it has ended.
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
