import { createMessageBus, type IncomingMessage } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted, BlocksSafe } from '@indelible/messages';
import { startAll, stopAll } from '@indelible/service-runtime';
import { type TestAnvil, type TestDatabase, type TestKafka, testAnvil, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createChainIndexerService } from '../src/service.ts';
import { alice, cid, createContract } from './contract-on-anvil.ts';
import { configFor, createTopic, logger, migratedDatabase, toldOfAll } from './indexer-harness.ts';

jest.setTimeout(60_000);

const contracts = [BlockAppended, BlocksReverted, BlocksFinalized, BlocksSafe];
let chain: TestAnvil;
let database: TestDatabase;
let kafka: TestKafka;
beforeAll(async () => {
  kafka = testKafka();
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
});
afterAll(async () => {
  await Promise.all([chain.stop(), database.drop()]);
  await kafka.dispose();
});

describe('the service over Kafka', () => {
  it('gives a reader of events.chain the blocks in order, over a reorg and a restart (I4, I5)', async () => {
    const bus = createMessageBus({
      brokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      clientId: 'test',
      source: 'indelible/test',
      topicPrefix: kafka.prefix,
      logger,
    });
    await bus.provision({ contracts });
    const contract = await createContract(chain);
    const config = {
      ...configFor(database, chain.rpcUrl, contract.address),
      kafkaBrokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      topicPrefix: kafka.prefix,
    };
    const topic = createTopic();
    const consumer = bus.createConsumer({
      groupId: 'reader',
      contracts,
      handle: (batch: readonly IncomingMessage[]) => topic.publish(batch),
    });
    await consumer.start();
    const first = createChainIndexerService(config, logger, () => {});
    await startAll(first);

    await contract.addObject(alice, cid(1));
    await chain.mine(2);
    expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toMatchObject([{ objectCid: cid(1) }]);
    await chain.reorg(2);
    expect((await toldOfAll(topic, chain)).flatMap(({ logs }) => logs)).toEqual([]);
    expect(await stopAll(first)).toEqual([]);

    await contract.addObject(alice, cid(2));
    await chain.mine();
    const second = createChainIndexerService(config, logger, () => {});
    await startAll(second);
    expect((await toldOfAll(topic, chain)).at(-1)?.logs).toMatchObject([{ objectCid: cid(2) }]);
    expect(new Set(topic.messages.map(({ id }) => id)).size).toBe(topic.messages.length);
    expect(await stopAll(second)).toEqual([]);
    await consumer.stop();
  });
});
