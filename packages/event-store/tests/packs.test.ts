import { randomUUID } from 'node:crypto';
import {
  fromPackRow,
  type MessageContract,
  type PackedItem,
  type PackRow,
  StampConfirmed,
  StampFailed,
  StampRequested,
  unpackColumns,
} from '@indelible/messages';
import { createDatabase, type Database, migrate } from '@indelible/postgres';
import { createLogger, PermanentError, UnavailableError } from '@indelible/service-runtime';
import { eventually, testDatabase } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import {
  appendEvents,
  createOutboxRelay,
  createRelay,
  type EventPublisher,
  eventStoreMigrations,
  type NewEvent,
  newEvent,
} from '../src/index.ts';
import type { Outbox } from '../src/outbox.ts';
import type { RecordedEvent } from '../src/recorded-event.ts';
import { setApart } from '../src/set-apart.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const contracts = [StampRequested, StampConfirmed, StampFailed];
let stored: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
let schema: string;
let relays: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  stored = await testDatabase();
});
beforeEach(async () => {
  schema = `packs_${randomUUID().replaceAll('-', '')}`;
  await migrate({ url: stored.url, schema, migrations: eventStoreMigrations });
  database = createDatabase({ url: stored.url, schema, applicationName: 'test', logger });
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  relays = [];
  await database.close();
});
afterAll(() => stored.drop());

const cid = `0x${'ab'.repeat(32)}` as const;
const account = `0x${'cd'.repeat(20)}` as const;
const now = '2026-11-24T12:00:00.000Z';
/** All of one key. */
const stampIds = (count: number): string[] => Array.from({ length: count }, () => `${randomUUID().slice(0, -2)}08`);
const requested = (stampId: string, change: object = {}): NewEvent =>
  newEvent(
    StampRequested,
    {
      ...{ stampId, account, setCid: cid, objectCid: cid, collectionName: null, content: null, replyTo: null },
      ...{ requestedAt: now, ...change },
    },
    { stream: `stamp-${stampId}`, version: 1, requestId: randomUUID(), traceparent: `of ${stampId}` },
  );
const confirmed = (stampId: string): NewEvent => {
  const receipt = {
    ...{ transactionHash: cid, logIndex: 0, blockNumber: 1, blockHash: cid, blockTime: 1, chainId: 1 },
    ...{ account, setCid: cid, objectCid: cid },
  };
  return newEvent(
    StampConfirmed,
    {
      ...{ stampId, receipt, collectionName: null, content: null, replyTo: null, requestId: null },
      ...{ batchId: stampId, clientRef: null },
    },
    { stream: `stamp-${stampId}`, version: 2 },
  );
};
const failed = (stampId: string): NewEvent =>
  newEvent(
    StampFailed,
    {
      ...{ stampId, requestId: null, account, setCid: cid, objectCid: cid, collectionName: null, clientRef: null },
      ...{ refusal: { code: 'c', message: 'm' }, failedAt: now },
    },
    { stream: `stamp-${stampId}`, version: 3 },
  );
const append = (...events: NewEvent[]): Promise<void> =>
  database.transaction((client) => appendEvents(client, schema, events));
/** As the release before records: a row an event. */
const appendRow = ({ stream, version, contract, data, id = randomUUID() }: NewEvent) =>
  database.query(
    'insert into events (stream, version, type, type_version, message_id, data) values ($1, $2, $3, $4, $5, $6)',
    [stream, version, contract.type, contract.version, id, data],
  );

type Row = { stream: string; type: string; message_id: string } & PackRow;
const rows = async (): Promise<Row[]> =>
  (await database.query<Row>('select stream, type, message_id, data, record from events order by position')).rows;

type Sent = { readonly type: string; readonly id: string; readonly stampId: string; readonly asPack: boolean };
/** Publishes nothing of a call with something that it refuses. */
function createBroker(refuses: (sent: Sent) => boolean = () => false) {
  const sent: Sent[] = [];
  let failures = 0;
  const publisher: EventPublisher = {
    async publishRecorded(messages) {
      const all = messages.flatMap((message): Sent[] => {
        const of = (contract: MessageContract, { id, data }: PackedItem, asPack: boolean): Sent => ({
          ...{ type: contract.type, id, stampId: (data as { stampId: string }).stampId, asPack },
        });
        return 'pack' in message
          ? unpackColumns(JSON.parse(message.pack.body.toString())).map((item) => of(message.contract, item, true))
          : [of(message.contract, message, false)];
      });
      if (all.some(refuses)) throw new PermanentError('refused');
      sent.push(...all);
      if (failures-- > 0) throw new Error('it took them and went away');
    },
  };
  return {
    publisher,
    sent,
    failNext: (times: number): void => {
      failures = times;
    },
    of: (stampId: string) => sent.filter((one) => one.stampId === stampId).map(({ type }) => type),
  };
}
async function startRelay(
  publisher: EventPublisher,
  of: readonly MessageContract[] = contracts,
  metrics = new Registry(),
) {
  const relay = createRelay({ database, publisher, contracts: of, logger, metrics });
  relays.push(relay);
  await relay.start();
  return relay;
}
const heldStreams = async () => (await database.query('select stream from relay_held order by stream')).rows;

describe('events that share a row', () => {
  it('are one record of each key, whose bytes the relay passes on, each message with its own id and trace', async () => {
    const [many, others] = [stampIds(600), stampIds(2).map((id) => `${id.slice(0, -2)}01`)];
    const events = [...many, ...others].map((id) => requested(id));
    await append(...events);
    const stored = await rows();
    expect(stored.map(({ stream, data }) => [stream.slice(0, 5), data.key, data.messages])).toEqual([
      ['pack-', '0', 500],
      ['pack-', '0', 100],
      ['pack-', '1', 2],
    ]);
    const packed = stored.flatMap(fromPackRow);
    expect(packed).toEqual(
      events.map(({ stream, version, data, requestId, traceparent }) => ({
        ...{ stream, version, data, requestId, traceparent, id: expect.any(String), time: expect.any(String) },
      })),
    );
    expect(stored.map(({ message_id: id }) => id)).toEqual([0, 500, 600].map((at) => packed[at]?.id));
    expect((stored[0]?.record.length ?? 0) / 500).toBeLessThan(250);
    const broker = createBroker();
    await startRelay(broker.publisher);
    await eventually(() => expect(broker.sent).toHaveLength(602));
    expect(broker.sent.map(({ id }) => id)).toEqual(packed.map(({ id }) => id));
    expect(broker.sent.every(({ asPack }) => asPack)).toBe(true);
  });

  it('keep the order of a key: an event between them that has a row of its own divides them', async () => {
    const [one = '', two = '', three = ''] = stampIds(3);
    await append(requested(one), failed(two), requested(three));
    expect((await rows()).map(({ type }) => type)).toEqual(['StampRequested', 'StampFailed', 'StampRequested']);
  });

  it('have rows of their own with content, in another stream, or when they are to', async () => {
    const [one = '', two = '', three = ''] = stampIds(3);
    const content = { stagedId: one, objectCid: cid, size: 1, crc32c: 1, fileName: 'cat.jpg' };
    await append(
      requested(one, { content }),
      { ...requested(two), stream: 'another' },
      { ...requested(three), alone: true },
    );
    expect((await rows()).map(({ stream, record }) => [stream, record])).toEqual([
      [`stamp-${one}`, null],
      ['another', null],
      [`stamp-${three}`, null],
    ]);
  });

  it('have several rows when a record would be too large', async () => {
    const ids = stampIds(4);
    // Each about 100 KiB that no form makes shorter.
    await append(
      ...ids.map((id) => requested(id, { collectionName: Array.from({ length: 3_000 }, randomUUID).join() })),
    );
    const stored = await rows();
    expect(stored.map(({ data }) => data.messages)).toEqual([2, 2]);
    expect(stored.flatMap(fromPackRow).map(({ data }) => (data as { stampId: string }).stampId)).toEqual(ids);
  });
});

describe('the time to publishing', () => {
  it('is observed for each event, in a row with others or alone', async () => {
    const ids = stampIds(20);
    await append(...ids.map((id) => requested(id)), failed(ids[0] ?? ''));
    const metrics = new Registry();
    await startRelay(createBroker().publisher, contracts, metrics);
    await eventually(async () =>
      expect(await metrics.metrics()).toContain('indelible_stage_duration_seconds_count{stage="publish"} 21'),
    );
  });
});

describe('an event that breaks its schema', () => {
  it('waits by itself, with what follows it in its stream; nobody else does, and all comes in order at last (I6, I12)', async () => {
    const [broken = '', ...others] = stampIds(5);
    await append(...others.slice(0, 2).map((id) => requested(id)), requested(broken, { account: 'nobody' }));
    const refusing = createBroker(({ type, stampId }) => type === 'StampRequested' && stampId === broken);
    const relay = await startRelay(refusing.publisher);
    await eventually(async () => expect(await heldStreams()).toEqual([{ stream: `stamp-${broken}` }]));
    // Its confirmation shares a record with those of others.
    await append(...[others[0] ?? '', broken, others[1] ?? ''].map((id) => confirmed(id)));
    await append(...others.slice(2).map((id) => requested(id)), failed(broken));
    await eventually(() => {
      for (const id of others.slice(0, 2)) expect(refusing.of(id)).toEqual(['StampRequested', 'StampConfirmed']);
      for (const id of others.slice(2)) expect(refusing.of(id)).toEqual(['StampRequested']);
    });
    await eventually(async () => expect(await heldStreams()).toHaveLength(3));
    expect(refusing.of(broken)).toEqual([]);
    const packed = (await rows()).flatMap((row) => (row.record === null ? [] : fromPackRow(row)));
    expect(packed.filter(({ stream }) => stream === `stamp-${broken}`)).toEqual([]);
    await relay.stop();

    const mended = createBroker();
    await startRelay(mended.publisher);
    await eventually(() => expect(mended.of(broken)).toEqual(['StampRequested', 'StampConfirmed', 'StampFailed']));
    await eventually(async () => expect(await heldStreams()).toEqual([]));
  });
});

describe('a new leader', () => {
  const items = ['held', 'free'].map((stream) => ({ stream, version: 2, size: 1, recordedAt: new Date() }));
  type Item = (typeof items)[number];

  /** Leads with a stream that is held back, and resolves when the other's event is published. */
  async function lead(change: Partial<Outbox<Item>>, publish: (events: readonly Item[]) => Promise<void>) {
    const published: string[] = [];
    const held: string[] = [];
    const outbox: Outbox<Item> = {
      read: async () => items.filter(({ stream }) => !published.includes(stream) && !held.includes(stream)),
      oldestSeconds: async () => 0,
      hasMore: async () => false,
      published: async () => {},
      hold: async (events) => void held.push(...events.map(({ stream }) => stream)),
      heldStreams: async () => ['held'],
      readHeld: async () => [],
      released: async () => {},
      ...change,
    };
    const relay = createOutboxRelay({
      ...{ database, channel: 'packs', outbox, stage: 'publish', logger, metrics: new Registry() },
      publish: async (events) => {
        await publish(events);
        published.push(...events.map(({ stream }) => stream));
      },
    });
    relays.push(relay);
    await relay.start();
    await eventually(() => expect(published).toContain('free'));
    return { published, held };
  }

  it('publishes nothing before it has read which streams are held back (I6)', async () => {
    let readings = 0;
    const outcome = await lead(
      {
        async heldStreams() {
          readings += 1;
          if (readings === 1) throw new Error('the database went away');
          return ['held'];
        },
        // What it has of that stream cannot be published yet.
        readHeld: () => Promise.reject(new PermanentError('refused')),
      },
      async () => {},
    );
    expect(outcome).toEqual({ published: ['free'], held: ['held'] });
  });

  it('publishes the others while what is held back fails for a reason that may pass (I12)', async () => {
    const outcome = await lead({ readHeld: async () => [{ ...items[0]!, version: 1 }] }, async (events) => {
      if (events.some(({ stream }) => stream === 'held')) throw new Error('the broker takes it no more');
    });
    expect(outcome).toEqual({ published: ['free'], held: ['held'] });
  });
});

describe('a record that cannot be published', () => {
  it('is taken apart: only the failing stream waits, no stream has a gap (I6, I12)', async () => {
    const [bad = '', ...others] = stampIds(4);
    await append(...[others[0] ?? '', bad, others[1] ?? ''].map((id) => requested(id)));
    await append(...[others[0] ?? '', bad].map((id) => confirmed(id)), requested(others[2] ?? ''));
    const refusing = createBroker(({ type, stampId }) => type === 'StampRequested' && stampId === bad);
    const relay = await startRelay(refusing.publisher);
    await eventually(() => {
      expect(refusing.of(others[0] ?? '')).toEqual(['StampRequested', 'StampConfirmed']);
      expect(refusing.of(others[1] ?? '')).toEqual(['StampRequested']);
      expect(refusing.of(others[2] ?? '')).toEqual(['StampRequested']);
    });
    await eventually(async () => expect(await heldStreams()).toEqual([1, 2].map(() => ({ stream: `stamp-${bad}` }))));
    expect(refusing.of(bad)).toEqual([]);
    await relay.stop();
    const mended = createBroker();
    await startRelay(mended.publisher);
    await eventually(() => expect(mended.of(bad)).toEqual(['StampRequested', 'StampConfirmed']));
  });

  it('is taken apart in as many places as are left for what is held back: the others do not wait for more (I12)', async () => {
    const [bad = '', ...others] = stampIds(500);
    const held = stampIds(999);
    await append(...held.map((id) => ({ ...requested(id), alone: true as const })));
    await database.query('insert into relay_held (stream, version) select stream, version from events');
    await database.query('update relay_cursor set position = (select max(position) from events)');
    await append(
      ...others.slice(0, 3).map((id) => requested(id)),
      requested(bad),
      ...others.slice(3).map((id) => requested(id)),
    );
    const refused = new Set([bad, ...held]);
    const broker = createBroker(({ stampId }) => refused.has(stampId));
    await startRelay(broker.publisher);
    await eventually(() => expect(new Set(broker.sent.map(({ stampId }) => stampId))).toEqual(new Set(others)), {
      timeoutMs: 30_000,
    });
    expect(await heldStreams()).toHaveLength(1_000);
    const last = stampIds(3);
    await append(...last.map((id) => requested(id)));
    await eventually(() => {
      for (const id of last) expect(broker.of(id)).toEqual(['StampRequested']);
    });
  }, 60_000);

  it('may be of a contract that this replica does not know: a newer one publishes it, in order (I6)', async () => {
    const ids = stampIds(3);
    await append(...ids.map((id) => requested(id)));
    await append(...ids.map((id) => confirmed(id)));
    const older = createBroker();
    const relay = await startRelay(older.publisher, [StampConfirmed, StampFailed]);
    await eventually(async () => expect(await heldStreams()).toHaveLength(6));
    expect(older.sent).toEqual([]);
    await relay.stop();
    const newer = createBroker();
    await startRelay(newer.publisher);
    await eventually(() => {
      for (const id of ids) expect(newer.of(id)).toEqual(['StampRequested', 'StampConfirmed']);
    });
  });
});

describe('two leaders for a moment', () => {
  const ids = stampIds(3);
  const [a = '', b = '', c = ''] = ids.map((id) => `stamp-${id}`);
  const readRow = async (): Promise<RecordedEvent> => {
    const [row] = (
      await database.query<RecordedEvent>(
        `select position, stream, version, type, type_version as "typeVersion", message_id as "messageId", data, record from events`,
      )
    ).rows;
    if (row === undefined) throw new Error('there is no row');
    return row;
  };
  const streams = async () =>
    (await rows()).map((row) => (row.record === null ? row.stream : fromPackRow(row).map(({ stream }) => stream)));

  it('take a row apart each by its own list, and each event stays in one row (I5, I12)', async () => {
    await append(...ids.map((id) => requested(id)));
    const row = await readRow();
    await setApart(database, row, [b]);
    for (const held of [[c], [b], [a, b, c]]) await setApart(database, row, held);
    expect((await streams()).toSorted()).toEqual([[a, c], b].toSorted());
    expect(await heldStreams()).toEqual([{ stream: b }]);
  });

  it('do so also when the second waits for the first (I5, I12)', async () => {
    await append(...ids.map((id) => requested(id)));
    const row = await readRow();
    let second: Promise<void> | undefined;
    await database.transaction(async (client) => {
      await setApart(client, row, [b]);
      second = setApart(database, row, [c]);
      await eventually(async () => {
        const { rows } = await database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(1);
      });
    });
    await second;
    expect((await streams()).toSorted()).toEqual([[a, c], b].toSorted());
    expect(await heldStreams()).toEqual([{ stream: b }]);
  });
});

describe('rows of the release before beside new ones', () => {
  it('are published in order, also over the crash of a relay, again under the same ids (I5, I6, I8)', async () => {
    const ids = stampIds(4);
    for (const id of ids.slice(0, 2)) await appendRow(requested(id));
    await append(...ids.slice(2).map((id) => requested(id)));
    await appendRow(confirmed(ids[2] ?? ''));
    await append(...[ids[0] ?? '', ids[1] ?? '', ids[3] ?? ''].map((id) => confirmed(id)));
    const broker = createBroker();
    broker.failNext(1);
    await startRelay(broker.publisher);
    await eventually(() => {
      expect(broker.sent.length).toBeGreaterThan(8);
      for (const id of ids) expect(broker.of(id).slice(-2)).toEqual(['StampRequested', 'StampConfirmed']);
    });
    const idsOf = new Map<string, Set<string>>();
    for (const { stampId, type, id } of broker.sent)
      idsOf.set(stampId + type, (idsOf.get(stampId + type) ?? new Set()).add(id));
    expect([...idsOf.values()].map((ids) => ids.size)).toEqual(Array.from({ length: 8 }, () => 1));
  });
});

it('a relay that rests reads what comes alone at once, and what comes meanwhile together', async () => {
  type Item = { readonly stream: string; readonly version: number; readonly size: number; readonly recordedAt: Date };
  const waiting: Item[] = [];
  const published: string[][] = [];
  const relay = createOutboxRelay<Item>({
    ...{ database, channel: 'resting', stage: 'publish', restMs: 2_000, logger, metrics: new Registry() },
    outbox: {
      read: async () => [...waiting],
      oldestSeconds: async () => 0,
      hasMore: async () => false,
      published: async (items) => void waiting.splice(0, items.length),
      hold: async () => {},
      heldStreams: async () => [],
      readHeld: async () => [],
      released: async () => {},
    },
    publish: async (items) => void published.push(items.map(({ stream }) => stream)),
  });
  relays.push(relay);
  const record = async (stream: string) => {
    waiting.push({ stream, version: 1, size: 1, recordedAt: new Date() });
    await database.query(`select pg_notify('resting', '')`);
  };
  await record('alone');
  await relay.start();
  await eventually(() => expect(published).toEqual([['alone']]));
  for (const stream of ['one', 'two', 'three']) await record(stream);
  await eventually(() => expect(published).toEqual([['alone'], ['one', 'two', 'three']]));
});

it('events that were set apart beside a fault of the database are tried alone as soon as it is over (I11)', async () => {
  type Item = { readonly stream: string; readonly version: number; readonly size: number; readonly recordedAt: Date };
  const itemOf = (stream: string): Item => ({ stream, version: 1, size: 1, recordedAt: new Date() });
  const rows = [itemOf('shared')];
  const apart = new Map<string, Item>();
  const published: string[] = [];
  let isAnswerLost = true;
  const relay = createOutboxRelay<Item>({
    ...{ database, channel: 'apart', stage: 'publish', logger, metrics: new Registry() },
    outbox: {
      read: async () => [...rows],
      oldestSeconds: async () => 0,
      hasMore: async () => false,
      published: async () => {},
      hold: async () => {},
      streamsIn: ({ stream }) => (stream === 'shared' ? ['one', 'two'] : undefined),
      setApart: async (_item, streams) => {
        for (const stream of streams) apart.set(stream, itemOf(stream));
        rows.length = 0;
        if (isAnswerLost) {
          isAnswerLost = false;
          throw new UnavailableError('the connection ended');
        }
      },
      heldStreams: async () => [...apart.keys()],
      readHeld: async (stream) => [...apart.values()].filter((item) => item.stream === stream),
      released: async (items) => {
        for (const { stream } of items) apart.delete(stream);
      },
    },
    publish: async (items) => {
      if (items.some(({ stream }) => stream === 'shared')) throw new PermanentError('it cannot be published');
      published.push(...items.map(({ stream }) => stream));
    },
  });
  relays.push(relay);
  await relay.start();
  await eventually(() => expect(published).toEqual(['one', 'two']));
});
