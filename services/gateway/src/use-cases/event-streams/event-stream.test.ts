import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import type { CloudEvent } from '@indelible/public-events';
import { createFairQueue, createLogger, UnavailableError } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { isWanted } from '../../decisions/event-filter.ts';
import type { EventLog, LogPlace } from '../../neighbours/event-log.ts';
import { createEventStream } from './event-stream.ts';
import { createFeeds, type Feeds } from './feeds.ts';
import { frameOf } from './frames.ts';
import { createOpenStreams, type StreamPlace } from './open-streams.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const accounts = (['a', 'b', 'c'] as const).map((digit): Hex => `0x${digit.repeat(40)}`);
const sets = ['0x01', '0x02'];
const types = ['stamp.submitted', 'stamp.confirmed'];
const everything = { types: undefined, collections: undefined };

const eventOf = (position: number): CloudEvent =>
  ({ type: `com.indelible.${types[position % 2]}.v1`, data: { set_cid: sets[(position >> 1) % 2] } }) as never;

/** A log in memory, which may be unavailable. */
function createLog() {
  const ends = new Map<Hex, number>(accounts.map((account) => [account, 0]));
  let grown = Promise.withResolvers<void>();
  let isAway = false;
  let pages = 0;
  const eventsAfter = (account: Hex, after: number, limit: number) => {
    const end = ends.get(account) ?? 0;
    const count = Math.max(0, Math.min(limit, end - after));
    return Array.from({ length: count }, (_, at) => ({ position: after + at + 1, event: eventOf(after + at + 1) }));
  };
  const answer = async (): Promise<void> => {
    await delay(1);
    if (isAway) throw new UnavailableError('away');
  };
  const log: EventLog = {
    async page(account, from, filter, limit) {
      await answer();
      pages += 1;
      const after = (from as { after: number }).after;
      const read = eventsAfter(account, after, limit);
      const events = read.filter(({ position, event }) => isWanted(frameOf(position, event), filter));
      return { events, next: read.at(-1)?.position ?? after, more: read.length === limit };
    },
    async follow(after, _waitMs, signal) {
      await answer();
      const gave = Promise.withResolvers<never>();
      gave.promise.catch(() => {});
      signal.addEventListener('abort', () => gave.reject(signal.reason), { once: true });
      for (;;) {
        signal.throwIfAborted();
        const logs = [...after].flatMap(([account, position]) => {
          if (position === undefined) return [{ account, events: [], next: ends.get(account) ?? 0 }];
          const events = eventsAfter(account, position, 7);
          const next = events.at(-1)?.position;
          return next === undefined ? [] : [{ account, events, next }];
        });
        if (logs.length > 0) return { logs, more: logs.some(({ events }) => events.length === 7) };
        await Promise.race([grown.promise, gave.promise]);
        await answer();
      }
    },
  };
  return {
    log,
    pages: () => pages,
    append(account: Hex, count: number) {
      ends.set(account, (ends.get(account) ?? 0) + count);
      grown.resolve();
      grown = Promise.withResolvers();
    },
    away(now: boolean) {
      isAway = now;
    },
  };
}

const started: Feeds[] = [];
afterEach(async () => {
  for (const feeds of started.splice(0)) await feeds.stop();
});

async function setUp(bufferBytes: number) {
  const { log, ...control } = createLog();
  const feeds = createFeeds({ log, bufferBytes, logger });
  await feeds.start();
  started.push(feeds);
  const streams = createOpenStreams({ feeds, maxStreams: 1_000, logger, metrics: new Registry() });
  const inFairTurns = createFairQueue(2);
  const open = (account: Hex): StreamPlace =>
    streams.open({ form: 'stream', account, trace: { requestId: 'x' }, keyFault: async () => undefined });
  /** A client that notes positions, and pauses on request. */
  function client(account: Hex, from: LogPlace, filter = everything as Parameters<typeof isWanted>[1], pauseMs = 0) {
    const place = open(account);
    const stream = createEventStream({ log, inFairTurns }, { account, from, filter, place });
    const positions: number[] = [];
    const running = (async () => {
      for (let piece = await stream.next(); piece !== undefined; piece = await stream.next()) {
        for (const [, id] of piece.bytes?.toString().matchAll(/^id: (\d+)$/gm) ?? []) positions.push(Number(id));
        if (pauseMs > 0) await delay(Math.random() * pauseMs);
      }
      place.leave();
    })();
    return {
      positions,
      heartbeat: () => stream.heartbeat().toString(),
      until: (last: number) => eventually(() => expect(positions.at(-1)).toBeGreaterThanOrEqual(last)),
      async close() {
        place.end({ reason: 'client', error: 'left' });
        await running;
      },
    };
  }
  return { ...control, client, open };
}

const upTo = (after: number, last: number): number[] => Array.from({ length: last - after }, (_, at) => after + at + 1);

describe('the streams of a process', () => {
  it.each([
    ['with room for everything', 2 ** 20],
    ['with little room', 2_000],
    ['without room', 0],
  ])(
    'have every event once and in order %s: quick clients, slow ones, late ones, and across an outage',
    async (_what, bytes) => {
      const world = await setUp(bytes);
      const clients: { account: Hex; after: number; one: ReturnType<typeof world.client> }[] = [];
      const join = (account: Hex, after: number, pauseMs: number): void =>
        void clients.push({ account, after, one: world.client(account, { after }, everything, pauseMs) });
      for (const account of accounts) world.append(account, 90);
      for (const account of accounts)
        for (const after of [0, 1, 60, 89, 90]) join(account, after, after % 2 === 0 ? 0 : 30);
      for (let round = 0; round < 60; round++) {
        for (const account of accounts) world.append(account, 1 + Math.floor(Math.random() * 12));
        if (round === 20) world.away(true);
        if (round === 30) world.away(false);
        if (round % 10 === 0) join(accounts[round % 3] as Hex, 90 + round, 10);
        await delay(4);
      }
      const last = 1_000;
      for (const account of accounts) world.append(account, last);
      for (const { one } of clients) await one.until(last);
      for (const { after, one } of clients) expect(one.positions).toEqual(upTo(after, one.positions.at(-1) as number));
      await Promise.all(clients.map(({ one }) => one.close()));
    },
  );

  it("filter, and move past filtered events: a heartbeat has the client's position", async () => {
    const world = await setUp(2 ** 20);
    const [account] = accounts as [Hex];
    const confirmed = world.client(
      account,
      { after: 0 },
      { types: new Set(['stamp.confirmed']), collections: undefined },
    );
    const inSet = world.client(account, { after: 0 }, { types: undefined, collections: new Set(['0x02']) });
    const none = world.client(account, { after: 0 }, { types: new Set(['file.failed']), collections: undefined });
    for (let round = 0; round < 10; round++) {
      world.append(account, 10);
      await delay(5);
    }
    await Promise.all([confirmed.until(99), inSet.until(99)]);
    expect(confirmed.positions).toEqual(upTo(0, 100).filter((position) => position % 2 === 1));
    expect(inSet.positions).toEqual(upTo(0, 100).filter((position) => (position >> 1) % 2 === 1));
    await eventually(() => expect(none.heartbeat()).toContain('id: 100\n'));
    expect(none.positions).toEqual([]);
    await Promise.all([confirmed, inSet, none].map((one) => one.close()));
  });

  it('read the log once for all clients at the head', async () => {
    const world = await setUp(2 ** 20);
    const [account] = accounts as [Hex];
    const seats = Array.from({ length: 100 }, () => world.open(account));
    const { signal } = new AbortController();
    const ends = await Promise.all(seats.map((place) => place.seat.end(signal)));
    expect(new Set(ends)).toEqual(new Set([0]));
    const clients = ends.map((after) => world.client(account, { after }));
    for (let round = 0; round < 20; round++) {
      world.append(account, 5);
      await delay(5);
    }
    for (const one of clients) await one.until(100);
    for (const one of clients) expect(one.positions).toEqual(upTo(0, 100));
    expect(world.pages()).toBe(0);
    await Promise.all(clients.map((one) => one.close()));
    for (const place of seats) place.leave();
  });
});
