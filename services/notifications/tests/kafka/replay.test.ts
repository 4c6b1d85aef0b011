import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Hex } from '@indelible/identifiers';
import { newId } from '@indelible/identifiers';
import type { TailedRecord } from '@indelible/kafka';
import type { Database } from '@indelible/postgres';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import kafkajs from 'kafkajs';
import type { Fact, Stamp } from '../../src/decisions/facts.ts';
import { projectFacts } from '../../src/use-cases/project-facts.ts';
import { connect, write } from '../support/database.ts';
import {
  accountOf,
  accountOpened,
  collectionCreated,
  collectionRegistered,
  confirmed,
  fileStored,
  finalized,
  hash,
  receiptOf,
  reverted,
  stampOf,
  submitted,
} from '../support/messages.ts';
import { createSurroundings, distinct, type PublicRecord, type Surroundings } from '../support/notifications.ts';

jest.setTimeout(120_000);

const programs = {
  indelible: resolve(import.meta.dirname, '../../../../packages/cli/src/main.ts'),
  replay: resolve(import.meta.dirname, '../../src/replay.ts'),
};
const patience = { timeoutMs: 60_000 };
let world: Surroundings;
let database: Database;
let admin: kafkajs.Admin;
beforeAll(async () => {
  world = await createSurroundings();
  database = connect(world.database.url);
  const client = new kafkajs.Kafka({ brokers: world.kafka.brokers, logLevel: kafkajs.logLevel.NOTHING });
  admin = client.admin();
  await Promise.all([world.start(), admin.connect()]);
}, 120_000);
afterAll(async () => {
  await admin.disconnect();
  await database.close();
  await world.stop();
}, 60_000);

function start(program: keyof typeof programs, words: readonly string[]): ChildProcess {
  const { config } = world;
  return spawn(process.execPath, [programs[program], ...words], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: config.databaseUrl,
      KAFKA_BROKERS: config.kafkaBrokers.join(','),
      SCHEMA_REGISTRY_URL: config.schemaRegistryUrl,
      TOPIC_PREFIX: config.topicPrefix,
      PUBLIC_TOPIC_PREFIX: config.publicTopicPrefix,
      PUBLIC_URL: config.publicUrl,
      EVENT_SOURCE: config.eventSource,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(...words: string[]) {
  const child = start('indelible', ['events', ...words]);
  const [out, err, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]);
  return { code: code as number | null, out, err };
}

const topicOf = (name: string): string => world.kafka.name(`replay.${name}`);
const countOf = async (topic: string): Promise<number> =>
  (await admin.fetchTopicOffsets(topic)).reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);

/** All that a new consumer group reads. */
async function readTopic(topic: string): Promise<TailedRecord[]> {
  const records: TailedRecord[] = [];
  const count = await countOf(topic);
  const enough = new AbortController();
  if (count === 0) return records;
  await world.bus.tailRecords({
    topic,
    from: 'beginning',
    signal: enough.signal,
    async onRecord(record) {
      if (records.push(record) === count) enough.abort();
    },
  });
  return records;
}

/** By key, in order, what a subscriber sees that drops repeated ids. */
function seenOf(records: readonly Pick<TailedRecord, 'key' | 'value' | 'headers' | 'partition'>[]) {
  const first = new Map(records.map((record) => [record.headers.ce_id, record]).reverse() as [string, TailedRecord][]);
  const inOrder = records.filter((record) => first.get(record.headers.ce_id ?? '') === record);
  return Map.groupBy(
    inOrder.map(({ key, value, headers, partition }) => ({ key, value, headers, partition })),
    ({ key }) => key,
  );
}
const liveOf = (records: readonly PublicRecord[]) =>
  seenOf(distinct(records).map(({ data, ...record }) => ({ ...record, value: JSON.stringify(data) })));

/** Logs this many stamps of an account, without messages. */
async function logStamps(account: Hex, count: number): Promise<void> {
  const factOf = (stamp: Stamp, batchId: string): Fact => ({
    ...{ messageId: newId(), time: '2026-11-21T04:10:08.123Z', kind: 'confirmed', batchId },
    ...{ stamp, receipt: receiptOf(stamp) },
  });
  for (let done = 0; done < count; done += 500) {
    const batchId = newId();
    const facts = Array.from({ length: Math.min(500, count - done) }, () => factOf(stampOf({ account }), batchId));
    await projectFacts(database, facts, write);
  }
}

describe('indelible events replay', () => {
  it('gives a group that starts from nothing the whole history: the records of the public topic, in order for each key', async () => {
    const owners = ['one', 'two', 'three'].map(accountOf);
    for (const [at, owner] of owners.entries()) {
      const stamps = ['Forest', 'Sea'].map((name) =>
        stampOf({ account: owner, setCid: hash(name), collectionName: name }),
      );
      const [first, second] = [newId(), newId()];
      await world.publish(accountOpened(owner), collectionRegistered(owner), collectionCreated(owner));
      await world.publish(submitted(first, stamps), ...stamps.map((stamp) => confirmed(first, stamp)));
      await world.publish(...stamps.map((stamp) => reverted(first, stamp)));
      await world.publish(...stamps.map((stamp) => confirmed(second, stamp, `block ${at}`)));
      await world.publish(finalized(second, stamps, `block ${at}`), ...stamps.map((stamp) => fileStored(stamp)));
    }
    // Of each owner: one of the account, two of its collection, seven of each stamp.
    await eventually(() => expect(distinct(world.records)).toHaveLength(3 * (3 + 2 * 7)), patience);
    const topic = topicOf('whole');
    const { code, out } = await run('replay', '--to-topic', topic, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { topic, events: 51, done: true, after: null }]);
    const records = await readTopic(topic);
    expect(records).toHaveLength(51);
    expect(seenOf(records)).toEqual(liveOf(world.records));
  });

  it('takes the events of an account, a collection, types and a time; a dry run only counts them', async () => {
    const owner = accountOf('two');
    const filters = ['--account', owner, '--collection', hash('Sea'), '--type', 'stamp.confirmed', 'stamp.reverted'];
    const topic = topicOf('filtered');
    const counted = await run('replay', '--to-topic', topic, ...filters, '--dry-run', '--json');
    expect(JSON.parse(counted.out)).toMatchObject({ events: 3, dryRun: true });
    expect(await admin.listTopics()).not.toContain(topic);
    expect(await run('replay', '--to-topic', topic, ...filters)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^3 events replayed to /),
    });
    const names = (await readTopic(topic)).map(({ key, headers }) => [key, headers.ce_type?.split('.')[3]]);
    const key = `${owner}/${hash('Sea')}`;
    expect(names).toEqual(['confirmed', 'reverted', 'confirmed'].map((name) => [key, name]));

    const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
    const since = rows[0]!.now.toISOString();
    await logStamps(accountOf('later'), 2);
    const times = async (...words: string[]) =>
      JSON.parse((await run('replay', '--to-topic', topic, '--dry-run', '--json', ...words)).out).events;
    expect([await times('--since', since), await times('--until', since), await times()]).toEqual([4, 51, 55]);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'continues after its cursor after %s: nothing is missing, and the order of each key holds (I5)',
    async (signal) => {
      await logStamps(accountOf(`large ${signal}`), 5_000);
      const topic = topicOf(`resumed.${signal}`);
      const first = start('replay', ['--to-topic', topic]);
      const ended = once(first, 'close');
      let resume: RegExpMatchArray | null = null;
      for await (const line of createInterface({ input: first.stderr! })) {
        const found = line.match(/--after (\S+) --until (\S+)/);
        if (found === null) continue;
        if (resume === null) first.kill(signal);
        resume = found;
      }
      const [code, killed] = await ended;
      // A replay ends in order on SIGTERM; the signal may also arrive at its end.
      if (signal === 'SIGTERM') expect([[0, 1], killed]).toEqual([expect.arrayContaining([code]), null]);
      const [, after = '', until = ''] = resume ?? [];
      expect(after).toMatch(/^0x[0-9a-f]{40}:\d+$/);
      const rest = await run('replay', '--to-topic', topic, '--after', after, '--until', until, '--json');
      expect([rest.code, JSON.parse(rest.out)]).toMatchObject([0, { done: true }]);
      const counted = await run('replay', '--to-topic', topic, '--until', until, '--dry-run', '--json');
      const { events } = JSON.parse(counted.out);
      const whole = topicOf(`whole.${signal}`);
      await run('replay', '--to-topic', whole, '--until', until);
      const [resumed, uncut] = [seenOf(await readTopic(topic)), seenOf(await readTopic(whole))];
      expect([...resumed.values()].flat()).toHaveLength(events);
      for (const [key, records] of uncut)
        expect(resumed.get(key)?.map(({ headers }) => headers.ce_id)).toEqual(
          records.map(({ headers }) => headers.ce_id),
        );
    },
  );

  it('refuses the public topic, internal topics, and a topic that has records, unless it is to be added to', async () => {
    const { topicPrefix, publicTopicPrefix } = world.config;
    const live = `${publicTopicPrefix}stamps.v1`;
    const before = await countOf(live);
    for (const topic of [live, `${topicPrefix}events.stamps`, `${topicPrefix}commands.stamps.dead-letter`])
      expect(await run('replay', '--to-topic', topic)).toMatchObject({
        code: 1,
        err: expect.stringContaining('Name a topic of its own'),
      });
    expect(await countOf(live)).toBe(before);
    const topic = topicOf('filtered');
    const account = ['--account', accountOf('later')];
    expect(await run('replay', '--to-topic', topic, ...account)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has 3 records already'),
    });
    expect(await run('replay', '--to-topic', topic, ...account, '--append')).toMatchObject({ code: 0 });
    expect(await countOf(topic)).toBe(7);
  });

  it.each([
    [['--to-topic', 'a b'], '--to-topic'],
    [['--to-topic', 'a', '--collection', 'forest'], '--collection'],
    [['--to-topic', 'a', '--type', 'stamp.lost'], '--type'],
    [['--to-topic', 'a', '--since', 'yesterday'], '--since'],
    [['--to-topic', 'a', '--since', '2026-01-02', '--until', '2026-01-01'], '--since'],
    [['--to-topic', 'a', '--after', '17'], '--after'],
    [[], '--to-topic'],
  ])('refuses %j', async (words, option) => {
    const { code, err } = await run('replay', ...words);
    expect([code !== 0, err]).toEqual([true, expect.stringContaining(option)]);
  });
});

describe('indelible events tail', () => {
  it('prints what the topic has, then what comes, as CloudEvents or as lines, until it is stopped', async () => {
    const owner = accountOf('tailed');
    const words = ['events', 'tail', '--from-beginning', '--account', owner, '--collection', 'forest'];
    const earlier = stampOf({ account: owner });
    await world.publish(confirmed(newId(), earlier));
    await eventually(
      () => expect(world.records.filter(({ key }) => String(key).startsWith(owner))).toHaveLength(2),
      patience,
    );
    const tails = [
      start('indelible', [...words, '--json']),
      start('indelible', [...words, '--type', 'stamp.confirmed']),
    ];
    const [events, lines] = tails.map((tail) => {
      const printed: string[] = [];
      createInterface({ input: tail.stdout! }).on('line', (line) => printed.push(line));
      return printed;
    }) as [string[], string[]];
    await eventually(() => expect([events.length, lines.length]).toEqual([2, 1]), patience);
    const later = stampOf({ account: owner });
    const elsewhere = stampOf({ account: owner, setCid: hash('Sea'), collectionName: 'Sea' });
    await world.publish(confirmed(newId(), elsewhere), confirmed(newId(), later));
    await eventually(() => expect([events.length, lines.length]).toEqual([4, 2]), patience);
    expect(events.map((line) => JSON.parse(line))).toMatchObject(
      [earlier, later].flatMap(({ stampId }) =>
        ['submitted', 'confirmed'].map((name) => ({
          ...{ specversion: '1.0', type: `com.indelible.stamp.${name}.v1`, subject: stampId },
          ...{ datacontenttype: 'application/json', data: { stamp_id: stampId } },
        })),
      ),
    );
    expect(lines[1]).toContain(`stamp.confirmed  ${later.stampId}`);
    const ends = tails.map((tail) => once(tail, 'close'));
    for (const tail of tails) tail.kill('SIGINT');
    expect(await Promise.all(ends)).toEqual([
      [0, null],
      [0, null],
    ]);
  });

  it('begins with what was published at a time, or behind it all', async () => {
    const owner = accountOf('since');
    await world.publish(confirmed(newId(), stampOf({ account: owner })));
    const own = () => world.records.filter(({ key }) => String(key).startsWith(owner));
    await eventually(() => expect(own()).toHaveLength(2), patience);
    // Behind the newest record, to the millisecond.
    const since = new Date(Math.max(...world.records.map(({ timestamp }) => Number(timestamp))) + 1).toISOString();
    const tail = start('indelible', ['events', 'tail', '--json', '--since', since]);
    const printed: string[] = [];
    createInterface({ input: tail.stdout! }).on('line', (line) => printed.push(line));
    const later = stampOf({ account: owner });
    await world.publish(confirmed(newId(), later));
    await eventually(() => expect(printed).toHaveLength(2), patience);
    expect(printed.map((line) => JSON.parse(line).subject)).toEqual([later.stampId, later.stampId]);
    tail.kill('SIGINT');
    expect(await once(tail, 'close')).toEqual([0, null]);
  });
});
