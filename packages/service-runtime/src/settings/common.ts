import type { Environment } from '../config.ts';
import { logLevels } from '../logging/logger.ts';
import { databaseUrl } from './database-url.ts';
import { kafkaSecurity } from './kafka-security.ts';
import { readSettings } from './read-settings.ts';
import { redisAccess } from './redis-access.ts';
import { schemaRegistryAccess, schemaRegistryUrl } from './schema-registry.ts';
import { allOf, madeOf, optional } from './setting.ts';
import { choice, integer, list, listMatching, mapped, matching, text, url, webUrl } from './variables.ts';

/** Settings that several services share: each is declared here, once. */

export const logSettings = {
  logLevel: choice('LOG_LEVEL', {
    meaning: 'What is logged, and everything graver',
    choices: logLevels,
    default: 'info',
  }),
};

export const databaseSettings = { databaseUrl };

/** What a migration needs: it runs without a broker or a chain. @throws ConfigurationError */
export const readDatabaseUrl = (environment: Environment): string => readSettings(databaseUrl, environment);

/** Where messages are, and their schemas. */
export const brokerSettings = {
  kafkaBrokers: list('KAFKA_BROKERS', {
    meaning: 'Some of the Kafka brokers; the others are learnt from them',
    values: 'host:port, comma-separated',
  }),
  kafkaSecurity,
  schemaRegistryUrl,
  schemaRegistryAccess,
  topicPrefix: text('TOPIC_PREFIX', {
    meaning: 'Before the name of every topic, consumer group and Redis key, where installations share servers',
    default: '',
  }),
};

export const consumerSettings = {
  kafkaSessionTimeoutMs: integer('KAFKA_SESSION_TIMEOUT_MS', {
    meaning: 'After so long without a sign of a replica its partitions go to the others of its consumer group',
    unit: 'ms',
    default: 10_000,
    min: 1_000,
    max: 300_000,
  }),
};

export const redisSettings = {
  redisUrl: url('REDIS_URL', {
    meaning: 'Redis, with user and password; rediss is TLS',
    protocols: ['redis:', 'rediss:'],
  }),
  redisAccess,
};

/** Both old and new during a token rotation. */
const internalTokens = optional(
  mapped(
    list('INTERNAL_TOKEN', {
      meaning:
        'Token of internal servers: they refuse other routes than /health and /metrics without it; several are accepted, the first is sent',
      secrecy: 'whole',
    }),
    (tokens, fault) => {
      if (tokens.length === 0 || tokens.some((token) => !/^[!-+\--~]{16,200}$/.test(token)))
        fault('INTERNAL_TOKEN', 'must be tokens of 16 to 200 printable ASCII characters, comma-separated');
      return tokens;
    },
  ),
  'none: every route is open',
);

/** For mere clients of internal servers. */
export const internalClientSettings = { internalTokens };

const internalHost = text('INTERNAL_HOST', {
  meaning: 'Address on which the internal server listens (health, metrics, routes for other services)',
  default: '127.0.0.1',
});

const nodeEnv = optional(
  text('NODE_ENV', {
    meaning:
      '`production`, as the image has it: refuses to start with `FAILPOINTS`, or without `INTERNAL_TOKEN` where `INTERNAL_HOST` is no loopback address',
  }),
  'none',
);

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** In production, routes on a reachable port require a token. */
const tokensOfServer = madeOf({ tokens: internalTokens, host: internalHost, nodeEnv }, (given, fault) => {
  const { tokens, host } = given;
  if (tokens === undefined && given.nodeEnv === 'production' && !loopback.test(host))
    fault(
      'INTERNAL_TOKEN',
      `is required where NODE_ENV is production and INTERNAL_HOST is no loopback address (it is ${host}): anybody in the network could query the internal routes`,
    );
  return tokens;
});

/** For a server with only health and metrics. */
export const routelessServerSettings = (defaultPort: number) => ({
  internalHost,
  internalPort: integer('INTERNAL_PORT', {
    meaning: 'Port of the internal server; 0 is any free one',
    default: defaultPort,
    min: 0,
    max: 65_535,
  }),
  internalTokens,
  leaveMs: integer('LEAVE_MS', {
    meaning:
      'How long open connections may bring further requests when the process is stopped; each answer is then the last of its connection',
    unit: 'ms',
    default: 2_000,
    min: 0,
    max: 10_000,
  }),
});

export const internalServerSettings = (defaultPort: number) => ({
  ...routelessServerSettings(defaultPort),
  internalTokens: tokensOfServer,
});

/** The default is for everything on one machine. */
export const indexerUrl = webUrl('INDEXER_URL', {
  meaning: "The chain-indexer's internal server",
  default: 'http://127.0.0.1:8102',
});

export const chainId = integer('CHAIN_ID', {
  meaning: 'The id of the chain (EIP-155); the same for all services',
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
});

const addressShape = { shape: /^0x[0-9a-fA-F]{40}$/, values: 'an address: 0x and 40 hex digits' };

/** An address on the chain, in lower case. */
export const chainAddress = (name: string, meaning: string) =>
  mapped(matching(name, { meaning, ...addressShape }), (address) => address.toLowerCase() as `0x${string}`);

export const contractAddress = chainAddress('CONTRACT_ADDRESS', 'The commitment contract; the same for all services');

/** Checked by form, since an endpoint's text may hold a key and must not be in a message (I10). */
export const rpcUrls = listMatching('RPC_URL', {
  meaning: "JSON-RPC endpoints of the chain's nodes, in the order of preference",
  shape: /^\s*https?:\/\/[^\s,]+(\s*,\s*https?:\/\/[^\s,]+)*\s*$/,
  values: 'URLs of http or https',
  secrecy: 'path',
});

export const rpcTimeoutMs = integer('RPC_TIMEOUT_MS', {
  meaning: 'How long a node may take for an answer',
  unit: 'ms',
  default: 10_000,
  min: 100,
  max: 120_000,
});

export const startBlock = integer('START_BLOCK', {
  meaning: "The first block that is read: that of the contract's creation, or an earlier one",
  default: 1,
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
});

/** Settings of several services, by subject; for documents. */
export const sharedSettings = {
  Postgres: allOf(databaseSettings),
  'Kafka and the schema registry': allOf({ ...brokerSettings, ...consumerSettings }),
  Redis: allOf(redisSettings),
  'The chain': allOf({ rpcUrls, rpcTimeoutMs, chainId, contractAddress, startBlock }),
  'Internal servers': allOf({ ...internalServerSettings(0), indexerUrl }),
  Logs: allOf(logSettings),
};
