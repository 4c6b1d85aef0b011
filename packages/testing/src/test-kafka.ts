import { randomBytes } from 'node:crypto';
import kafkajs, { type ITopicConfig, type Kafka as KafkaClient } from 'kafkajs';
import { testAddress } from './environment.ts';
import { eventually } from './eventually.ts';

const { ConfigResourceTypes, Kafka, logLevel } = kafkajs;

/** The shared broker, with names of one test file's own. */
export interface TestKafka {
  readonly brokers: string[];
  readonly schemaRegistryUrl: string;
  /** Begins every topic, group and subject of this test file; ends with a dot. */
  readonly prefix: string;
  /** `prefix` + name. */
  name(name: string): string;
  /** Creates topics under exactly the names given (the broker creates none by itself) and waits until they have leaders. */
  createTopics(topics: readonly (string | ITopicConfig)[]): Promise<void>;
  /** A consumer group loses its offsets. It must have no members. */
  deleteGroup(group: string): Promise<void>;
  /** The shortest session the broker lets a consumer have, in ms: for tests that kill consumers and wait for their groups. */
  shortestSessionMs(): Promise<number>;
  /** Deletes all topics that begin with `prefix`. */
  dispose(): Promise<void>;
}

/** The shared broker and a prefix that nobody else uses. */
export function testKafka(): TestKafka {
  const brokers = testAddress('kafkaBrokers').split(',');
  const schemaRegistryUrl = testAddress('schemaRegistryUrl');
  const prefix = `t${process.pid}-${randomBytes(5).toString('hex')}.`;
  const withAdmin = async <T>(use: (admin: ReturnType<KafkaClient['admin']>) => Promise<T>): Promise<T> => {
    const admin = new Kafka({ clientId: 'indelible-testing', brokers, logLevel: logLevel.ERROR }).admin();
    await admin.connect();
    try {
      return await use(admin);
    } finally {
      await admin.disconnect();
    }
  };
  return {
    brokers,
    schemaRegistryUrl,
    prefix,
    name: (name) => `${prefix}${name}`,
    createTopics: (topics) =>
      withAdmin(async (admin) => {
        const configs = topics.map((topic) => (typeof topic === 'string' ? { topic, numPartitions: 1 } : topic));
        await admin.createTopics({ topics: configs, waitForLeaders: false });
        // kafkajs' own wait fails if the broker does not know the controller's new topic yet.
        await eventually(async () => {
          const { topics } = await admin.fetchTopicMetadata({ topics: configs.map(({ topic }) => topic) });
          const leaders = topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader));
          if (leaders.some((leader) => leader < 0)) throw new Error('a partition has no leader');
        });
      }),
    deleteGroup: (group) => withAdmin(async (admin) => void (await admin.deleteGroups([`${prefix}${group}`]))),
    shortestSessionMs: () =>
      withAdmin(async (admin) => {
        const name = String((await admin.describeCluster()).controller);
        const configNames = ['group.min.session.timeout.ms'];
        const { resources } = await admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type: ConfigResourceTypes.BROKER, name, configNames }],
        });
        return Number(resources[0]?.configEntries[0]?.configValue);
      }),
    dispose: () =>
      withAdmin(async (admin) => {
        const own = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
        if (own.length > 0) await admin.deleteTopics({ topics: own });
      }),
  };
}
