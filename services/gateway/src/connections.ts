import { accountsSchema } from '@indelible/accounts';
import { createServiceBus } from '@indelible/kafka';
import { createDatabase, type Database } from '@indelible/postgres';
import { closeRedis, createRedis } from '@indelible/redis';
import { connection, type Runtime, showPools } from '@indelible/service-runtime';
import type { Config } from './config.ts';
import { schema } from './schema.ts';

/** In ms, of statements that a request waits for: an unreachable server must not delay it for long. */
const requestTimeouts = { statementTimeoutMs: 5_000, answerTimeoutMs: 6_000 };

/**
 * Connections to Postgres, Redis and Kafka. Redis is not part of readiness: without it everything is only slower.
 * @param instanceId of this replica
 */
export function createConnections(
  config: Config,
  { logger, metrics }: Pick<Runtime, 'logger' | 'metrics'>,
  instanceId: string,
) {
  const databaseOf = (applicationName: string, of: string, timeouts: Partial<typeof requestTimeouts> = {}): Database =>
    createDatabase({ url: config.databaseUrl, schema: of, applicationName, ...timeouts, logger });
  const database = databaseOf('gateway', schema);
  const requestsDatabase = databaseOf('gateway requests', schema, requestTimeouts);
  const accountsDatabase = databaseOf('gateway accounts', accountsSchema, requestTimeouts);
  showPools(metrics, [database, requestsDatabase, accountsDatabase]);
  const redis = createRedis(config.redisUrl, { name: 'gateway', access: config.redisAccess, logger });
  const bus = createServiceBus(config, 'gateway', { logger, metrics, clientId: instanceId });
  const connections = [
    connection('database', { close: database.close }),
    connection('requests database', { close: requestsDatabase.close, ready: requestsDatabase.reachable }),
    connection('accounts database', { close: accountsDatabase.close }),
    connection('redis', { close: () => closeRedis(redis) }),
  ];
  return { database, requestsDatabase, accountsDatabase, redis, bus, connections };
}
