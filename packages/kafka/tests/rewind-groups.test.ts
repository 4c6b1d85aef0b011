import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Consumer } from '../src/consumer.ts';
import type { GroupsRunningError } from '../src/errors.ts';
import type { Publisher } from '../src/publisher.ts';
import { createTestBus, type TestBus, until } from './harness.ts';
import { contracts, failedStamp } from './messages-for-tests.ts';

let topics: TestBus;
let publisher: Publisher;
const groups = { first: ['events.stamps'], second: ['events.stamps'] } as const;

beforeEach(async () => {
  topics = await createTestBus();
  publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
  await publisher.start();
}, 60_000);
afterEach(() => topics.dispose(), 60_000);

/** Handles what the group is given, and leaves it once it has all of `ids`. */
async function handle(groupId: string, ids: readonly string[]): Promise<string[]> {
  const { consumer, handled } = await join(groupId);
  await until(() => ids.every((id) => handled.includes(id)));
  await consumer.stop();
  return handled;
}

async function join(groupId: string): Promise<{ consumer: Consumer; handled: string[] }> {
  const handled: string[] = [];
  const consumer = topics.stopLater(
    topics.bus.createConsumer({
      groupId,
      contracts,
      handle: async (batch) => void handled.push(...batch.map(({ id }) => id)),
    }),
  );
  await consumer.start();
  return { consumer, handled };
}

const publish = async (count: number): Promise<string[]> => {
  const messages = Array.from({ length: count }, () => failedStamp(randomUUID(), 'a'));
  await publisher.publish(messages);
  return messages.map(({ id }) => id);
};

/** A moment between what was published before and after it: the broker keeps milliseconds. */
async function moment(): Promise<Date> {
  const now = Date.now();
  await until(() => Date.now() > now + 2);
  return new Date(now + 2);
}

describe('groups that are rewound', () => {
  it('handle again what was written since, and nothing else; none goes forward', async () => {
    const before = await publish(5);
    await handle('second', before);
    const since = await moment();
    const after = await publish(7);
    await handle('first', [...before, ...after]);
    expect(await topics.bus.rewindGroups(groups, since)).toEqual([
      { group: 'first', records: 7 },
      { group: 'second', records: 0 },
    ]);
    expect((await handle('first', after)).sort()).toEqual([...after].sort());
    expect((await handle('second', after)).sort()).toEqual([...after].sort());
  }, 60_000);

  it('are all found stopped before one of them is moved', async () => {
    const ids = await publish(3);
    await handle('first', ids);
    const { consumer } = await join('second');
    const refused = topics.bus.rewindGroups(groups, new Date(0));
    await expect(refused).rejects.toMatchObject({
      name: 'GroupsRunningError',
      groups: ['second'],
    } satisfies Partial<GroupsRunningError>);
    await expect(topics.bus.checkGroupsStopped(['first', 'second', 'never'])).rejects.toThrow('groups second have');
    const more = await publish(1);
    expect(await handle('first', more)).toEqual(more);
    await consumer.stop();
    await topics.bus.checkGroupsStopped(['first', 'second', 'never']);
  }, 60_000);

  it('and readers of topics begin with what was written since', async () => {
    await publish(4);
    const since = await moment();
    const after = await publish(2);
    const handled: string[] = [];
    const reader = topics.stopLater(
      topics.bus.createTopicReader({
        name: 'since',
        contracts,
        since,
        handle: async (batch) => void handled.push(...batch.map(({ id }) => id)),
      }),
    );
    await reader.start();
    await reader.catchUp(AbortSignal.timeout(30_000));
    expect(handled.sort()).toEqual(after.sort());
    expect(reader.progress()).toEqual({ handled: 2, left: 0, leftOut: 0 });
  }, 60_000);
});
