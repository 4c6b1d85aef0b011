import { randomUUID } from 'node:crypto';
import { BlocksFinalized } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { createTestBus, type TestBus } from './harness.ts';

let topics: TestBus;
beforeEach(async () => {
  topics = await createTestBus();
}, 60_000);
afterEach(() => topics.dispose(), 60_000);

const type = kafkajs.ConfigResourceTypes.TOPIC;

const settingsOf = async (topic: string): Promise<Record<string, string>> => {
  const admin = topics.plain.admin();
  await admin.connect();
  const name = `${topics.prefix}${topic}`;
  const described = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type, name }] });
  await admin.disconnect();
  const entries = described.resources[0]!.configEntries;
  return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
};

/** A broker shows what was set a moment after it has taken it. */
const expectSettings = (topic: string, expected: Record<string, string>): Promise<void> =>
  eventually(async () => expect(await settingsOf(topic)).toMatchObject(expected));

const set = async (topic: string, settings: Record<string, string>): Promise<void> => {
  const admin = topics.plain.admin();
  await admin.connect();
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const resources = [{ type, name: `${topics.prefix}${topic}`, configEntries }];
  await admin.alterConfigs({ validateOnly: false, resources });
  await admin.disconnect();
  await expectSettings(topic, settings);
};

describe('provisioning topics', () => {
  it('bounds no topic by size, keeps events for ever (I8), and those of requests without a stamp for a time', async () => {
    await expectSettings('events.stamps', { 'retention.ms': '-1', 'retention.bytes': '-1' });
    await expectSettings('events.requests', {
      'retention.ms': '2678400000',
      'retention.bytes': '-1',
    });
    await expectSettings('commands.stamps', {
      'retention.ms': '1209600000',
      'retention.bytes': '-1',
    });
  });

  it('keeps what an operator has set on a topic, and sets what is promised', async () => {
    await set('events.stamps', { 'max.message.bytes': '2000000', 'retention.ms': '1000', 'segment.bytes': '10485760' });
    await set('commands.stamps', { 'max.message.bytes': '3000000', 'retention.ms': '2592000000' });
    await topics.bus.provision();
    await expectSettings('events.stamps', {
      'max.message.bytes': '2000000',
      'segment.bytes': '10485760',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'cleanup.policy': 'delete',
    });
    await expectSettings('commands.stamps', {
      'max.message.bytes': '3000000',
      'retention.ms': '2592000000',
    });
  }, 60_000);
});

describe('provisioning a public topic', () => {
  it('has the settings of the configuration, also when that changes, and no dead letters', async () => {
    const name = `${topics.prefix}public.v1`;
    const provision = (retentionMs: number) =>
      topics.bus.provision({
        contracts: [],
        publicTopics: [{ name, partitions: 3, retentionMs, cleanupPolicy: 'compact,delete' }],
      });
    await provision(1_000_000);
    await expectSettings('public.v1', {
      'cleanup.policy': 'compact,delete',
      'retention.ms': '1000000',
    });
    await provision(-1);
    await expectSettings('public.v1', { 'cleanup.policy': 'compact,delete', 'retention.ms': '-1' });
    const admin = topics.plain.admin();
    await admin.connect();
    expect((await admin.listTopics()).filter((topic) => topic.startsWith(name))).toEqual([name]);
    await admin.disconnect();
  }, 60_000);
});

describe('provisioning schemas', () => {
  it('is done by several processes at once, of subjects that nobody knows yet (I11)', async () => {
    const contracts = Array.from({ length: 8 }, () => ({
      ...BlocksFinalized,
      type: `Test${randomUUID().replaceAll('-', '')}`,
    }));
    await Promise.all(Array.from({ length: 6 }, () => topics.bus.provision({ contracts })));
  }, 60_000);

  it('fails at once when the registry refuses a change of one: no later attempt could succeed', async () => {
    const first = { ...BlocksFinalized, type: `Test${randomUUID().replaceAll('-', '')}` };
    await topics.bus.provision({ contracts: [first] });
    const narrower = { ...first, schema: { ...first.schema, required: [...(first.schema.required ?? []), 'more'] } };
    await expect(topics.bus.provision({ contracts: [narrower] })).rejects.toMatchObject({
      name: 'MessageInvalidError',
      message: expect.stringContaining(first.type),
    });
  }, 60_000);
});
