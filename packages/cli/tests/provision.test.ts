import { topics } from '@indelible/messages';
import { eventually, type TestKafka, testKafka } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import kafkajs from 'kafkajs';
import { runCommand, type Surroundings } from './command-line.ts';

// Every command is a process of its own; a busy machine takes seconds to start some.
jest.setTimeout(120_000);

/** Each with its dead letters, and the public topic. */
const all = Object.keys(topics).length * 2 + 1;

describe('indelible provision topics', () => {
  let kafka: TestKafka;
  let surroundings: Surroundings;
  beforeEach(() => {
    kafka = testKafka();
    surroundings = {
      folder: '/',
      environment: {
        KAFKA_BROKERS: kafka.brokers.join(','),
        SCHEMA_REGISTRY_URL: kafka.schemaRegistryUrl,
        TOPIC_PREFIX: kafka.prefix,
        PUBLIC_TOPIC_PREFIX: kafka.prefix,
      },
    };
  });
  afterEach(() => kafka.dispose());

  const provision = (...words: string[]) => runCommand(['provision', 'topics', ...words], surroundings);
  const reportOf = async (...words: string[]) => {
    const { code, out, err } = await provision('--json', ...words);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out) as {
      topics: { topic: string; action: string; differs: string[] }[];
      schemas: { subject: string; action: string }[];
    };
  };
  const present = async (): Promise<string[]> => {
    const admin = new kafkajs.Kafka({ brokers: kafka.brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      return (await admin.listTopics()).filter((name) => name.startsWith(kafka.prefix));
    } finally {
      await admin.disconnect();
    }
  };

  it('creates what is missing, and nothing when it runs again', async () => {
    const dry = await reportOf('--dry-run');
    expect(dry.topics.filter(({ action }) => action === 'create')).toHaveLength(all);
    expect(await present()).toEqual([]);
    const first = await provision('--replication', '1', '--min-in-sync', '1');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain(`created ${kafka.prefix}commands.stamps (8 partitions)`);
    expect(await present()).toHaveLength(all);
    const second = await reportOf('--replication', '1', '--min-in-sync', '1');
    expect(second.topics.map(({ action }) => action)).toEqual(Array.from({ length: all }, () => 'none'));
    expect(second.schemas.filter(({ action }) => action !== 'none')).toEqual([]);
  });

  it('may run several times at once', async () => {
    const runs = await Promise.all([provision(), provision(), provision()]);
    expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, '']));
    expect(await present()).toHaveLength(all);
  });

  it('refuses other partitions of a topic that is there, before it makes anything: keys would move', async () => {
    await eventually(() => kafka.createTopics([{ topic: kafka.name('commands.stamps'), numPartitions: 3 }]));
    const { err, code } = await provision();
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`${kafka.prefix}commands.stamps has 3 partitions, 8 are wanted`),
    ]);
    expect(await present()).toEqual([kafka.name('commands.stamps')]);
    expect((await provision('--dry-run')).code).toBe(1);
  });

  it('says which replication differs, and leaves it', async () => {
    await provision('--replication', '1');
    const { topics: reports } = await reportOf('--replication', '3');
    expect(reports.every(({ differs }) => differs[0]?.startsWith('replication is 1, 3 is wanted'))).toBe(true);
  });

  it('says what the brokers refuse', async () => {
    const { code, err } = await provision('--replication', '99');
    expect([code, err]).toEqual([1, expect.stringMatching(/commands\.stamps.*replication/i)]);
    expect((await provision('--replication', 'many')).code).toBe(2);
  });
});
