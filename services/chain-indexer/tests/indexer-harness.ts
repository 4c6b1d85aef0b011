import type { EventPublisher } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import {
  type Component,
  createLogger,
  createServiceMetrics,
  noTracing,
  startAll,
  stopAll,
} from '@indelible/service-runtime';
import { eventually, migratedTemplate, type TestAnvil, type TestDatabase, testDatabase } from '@indelible/testing';
import type { Config } from '../src/config.ts';
import { migrateChainIndexer, migrations } from '../src/migrate.ts';
import { createIndexer } from '../src/service.ts';
import { type Published, type ReadBlock, readChain } from './chain-reader.ts';

export const logger = createLogger({ service: 'chain-indexer', level: 'silent' });

export const migratedDatabase = (): Promise<TestDatabase> =>
  testDatabase({ template: migratedTemplate('chain', migrations, migrateChainIndexer) });

export const configFor = (
  database: TestDatabase,
  rpcUrl: string,
  contract: Hex,
  change: Partial<Config> = {},
): Config => ({
  databaseUrl: database.url,
  kafkaBrokers: [],
  schemaRegistryUrl: 'http://127.0.0.1:1',
  topicPrefix: '',
  rpcUrls: [rpcUrl],
  wsUrls: undefined,
  rpcTimeoutMs: 5_000,
  rpcMaxResponseBytes: 2 ** 25,
  chainId: 31337,
  contractAddress: contract,
  startBlock: 1,
  pollIntervalMs: 20,
  headSilenceMs: 200,
  catchUpWindow: 16,
  maxUnpublished: 1_000,
  behindGraceMs: 50,
  finality: { kind: 'depth', depth: 5 },
  finalityStride: 8,
  safe: false,
  belowFinality: 'follow',
  readyLagBlocks: 2,
  internalHost: '127.0.0.1',
  internalPort: 0,
  leaveMs: 0,
  logLevel: 'silent',
  ...change,
});

/** What replicas publish, as a reader of the topic sees it. */
export type Topic = {
  readonly messages: Published[];
  publish(messages: readonly Published[]): Promise<void>;
  /** Nothing is taken until it is released; `arrived` when somebody waits. */
  hold(): { readonly arrived: Promise<void>; release(): void };
};

export function createTopic(): Topic {
  const messages: Published[] = [];
  let held: { readonly come: () => void; readonly opened: Promise<void> } | undefined;
  return {
    messages,
    publish: async (more) => {
      held?.come();
      await held?.opened;
      messages.push(...more);
    },
    hold: () => {
      const arrival = Promise.withResolvers<void>();
      const opening = Promise.withResolvers<void>();
      held = { come: arrival.resolve, opened: opening.promise };
      return {
        arrived: arrival.promise,
        release: () => {
          held = undefined;
          opening.resolve();
        },
      };
    },
  };
}

export type Replica = { readonly components: readonly Component[]; port(): number; stop(): Promise<void> };

/** A running indexer that publishes to the topic. */
export async function startReplica(config: Config, topic: Topic): Promise<Replica> {
  const publisher: EventPublisher = {
    publishRecorded: (messages) => topic.publish(messages.flatMap((message) => ('data' in message ? [message] : []))),
  };
  const components = createIndexer(config, publisher, {
    logger,
    tracing: noTracing,
    metrics: createServiceMetrics('chain-indexer'),
  });
  await startAll(components);
  const server = components.at(-1) as Component & { port(): number };
  return {
    components,
    port: () => server.port(),
    stop: async () => {
      const faults = await stopAll(components);
      if (faults.length > 0) throw new AggregateError(faults, 'a component did not stop');
    },
  };
}

export const metricsOf = async (replica: Replica): Promise<string> =>
  (await fetch(`http://127.0.0.1:${replica.port()}/metrics`)).text();

/** Waits until the topic has the current chain, from a block on. @returns its blocks */
export const toldOfAll = (topic: Topic, chain: TestAnvil, from = 1): Promise<readonly ReadBlock[]> =>
  eventually(
    async () => {
      const head = await chain.request<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', ['latest', false]);
      const blocks = readChain(topic.messages);
      const last = blocks.at(-1);
      if (last?.hash !== head.hash) throw new Error(`block ${last?.number} was read, not ${Number(head.number)}`);
      if (blocks.length !== Number(head.number) - from + 1) throw new Error('blocks are missing');
      return blocks;
    },
    { timeoutMs: 20_000 },
  );
