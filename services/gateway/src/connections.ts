import { accountsSchema } from '@indelible/accounts';
import { brokerOf, createMessageBus } from '@indelible/kafka';
import { createDatabase, type Database } from '@indelible/postgres';
import { closeRedis, createRedis } from '@indelible/redis';
import { type Component, type Logger, showPools } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import { schema } from './schema.ts';

/** In ms, of statements that a request waits for: a server that is gone without a word must not hold it up for long. */
const requestTimeouts = { statementTimeoutMs: 5_000, answerTimeoutMs: 6_000 };

/**
 * Connections to Postgres, Redis and Kafka; what speaks by the message bus is started by its users. Redis is not part of readiness:
 * without it everything still works, slower.
 */
export function createConnections(
  config: Config,
  { instanceId, logger, metrics }: { readonly instanceId: string; readonly logger: Logger; readonly metrics: Registry },
) {
  const databaseOf = (applicationName: string, of: string, timeouts: Partial<typeof requestTimeouts> = {}): Database =>
    createDatabase({ url: config.databaseUrl, schema: of, applicationName, ...timeouts, logger });
  const database = databaseOf('gateway', schema);
  const requestsDatabase = databaseOf('gateway requests', schema, requestTimeouts);
  const accountsDatabase = databaseOf('gateway accounts', accountsSchema, requestTimeouts);
  showPools(metrics, [database, requestsDatabase, accountsDatabase]);
  const redis = createRedis(config.redisUrl, { name: 'gateway', access: config.redisAccess, logger });
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: instanceId,
    source: 'indelible/gateway',
    logger,
    metrics,
  });
  const component: Component = {
    name: 'database',
    start: async () => {},
    async stop() {
      await closeRedis(redis);
      await accountsDatabase.close();
      await requestsDatabase.close();
      await database.close();
    },
    ready: () => requestsDatabase.reachable(),
  };
  return { database, requestsDatabase, accountsDatabase, redis, bus, component };
}
