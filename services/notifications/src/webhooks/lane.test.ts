import type { Hex } from '@indelible/identifiers';
import type { LoggedEvent } from '@indelible/public-events';
import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../tables/webhooks.ts';
import { createFairTurns } from './fair-turns.ts';
import { createLane, type Delivery, type Lane, mostInFlight } from './lane.ts';

const start = Date.parse('2026-11-21T04:10:07Z');
const webhookOf = (over: Partial<Webhook> = {}): Webhook => ({
  webhookId: 'w',
  account: '0x01',
  url: 'https://example.com/',
  types: ['stamp.failed'],
  collections: [],
  ordered: false,
  description: null,
  secret: Buffer.alloc(0),
  formerSecret: null,
  formerUntil: null,
  status: 'enabled',
  disabledReason: null,
  disabledAt: null,
  position: 0,
  failingSince: null,
  createdAt: new Date(start),
  updatedAt: new Date(start),
  ...over,
});
const eventAt = (position: number) => ({ id: `e${position}`, name: 'stamp.failed', time: '' }) as LoggedEvent;
const laneWith = (count: number, over: Partial<Webhook> = {}, setOf: (at: number) => string = () => 'a'): Lane => {
  const lane = createLane(webhookOf(over), undefined);
  const events = Array.from({ length: count }, (_, at) => ({
    position: at + 1,
    event: eventAt(at + 1),
    set: setOf(at),
  }));
  lane.setDue([], { total: 0, sets: new Set(), oldest: null }, lane.staleness());
  lane.log.append(events, count);
  return lane;
};
const shown = (status: number, retryAfter?: string) => ({
  attempt: { at: '', status, body: '', error: null, durationMs: 1 },
  retryAfter,
});
const takeAll = (lane: Lane, now = start): Delivery[] => {
  const taken: Delivery[] = [];
  for (let one = lane.next(now); one !== undefined; one = lane.next(now)) taken.push(one);
  return taken;
};

describe('a lane', () => {
  it('begins with two requests, gets up to eight as they are taken, and one after a failure', () => {
    const lane = laneWith(100);
    let under = takeAll(lane);
    expect(under).toHaveLength(2);
    for (let round = 0; round < 8; round++) {
      for (const one of under) lane.settle(one, shown(204), start);
      under = takeAll(lane);
    }
    expect(under).toHaveLength(mostInFlight);
    for (const one of under) lane.settle(one, shown(500), start);
    expect(takeAll(lane)).toEqual([]);
    expect(takeAll(lane, start + 60_000)).toHaveLength(1);
  });

  it('whose receiver fails probes it once a minute at most, and reads no further meanwhile', () => {
    const lane = laneWith(100);
    let now = start;
    for (let failures = 0; failures < 12; failures++) {
      const probes = takeAll(lane, now);
      expect(probes).toHaveLength(failures === 0 ? 2 : 1);
      for (const probe of probes) lane.settle(probe, shown(500), now);
      now += 60_000;
      if (failures > 1) expect(lane.wants(lane.log)).toBe(false);
    }
    expect(takeAll(lane, now - 1)).toEqual([]);
    expect(takeAll(lane, now)).toHaveLength(1);
  });

  it('pauses as long as the receiver wants', () => {
    const lane = laneWith(10);
    for (const one of takeAll(lane)) lane.settle(one, shown(429, '120'), start);
    expect(lane.next(start + 119_000)).toBeUndefined();
    expect(lane.next(start + 120_000)).toBeDefined();
  });

  it('is settled behind a failure only as a delivery that waits', () => {
    const lane = laneWith(3);
    const [first, second] = takeAll(lane);
    lane.settle(second!, shown(204), start);
    expect(lane.log.settledTo()).toBe(0);
    lane.settle(first!, shown(500), start);
    expect(lane.log.settledTo()).toBe(2);
    expect(lane.unwritten().map(({ position, status }) => [position, status])).toEqual([
      [2, 'delivered'],
      [1, 'waiting'],
    ]);
  });

  it('in order puts the events behind a failed one aside, and sends those of other collections', () => {
    const lane = laneWith(6, { ordered: true }, (at) => (at % 2 === 0 ? 'a' : 'b'));
    const [first, second] = takeAll(lane);
    expect([first?.position, second?.position]).toEqual([1, 2]);
    lane.settle(second!, shown(204), start);
    lane.settle(first!, shown(500), start);
    expect(takeAll(lane).map(({ position }) => position)).toEqual([4]);
    expect(lane.unwritten().map(({ position, status, tries }) => [position, status, tries])).toEqual([
      [2, 'delivered', 1],
      [1, 'waiting', 1],
      [3, 'waiting', 0],
      [5, 'waiting', 0],
    ]);
  });

  it('rests while what waits has changed in the table, and is not read again', () => {
    const lane = laneWith(10);
    const asOf = lane.staleness();
    lane.markStale();
    lane.setDue([], { total: 0, sets: new Set(), oldest: null }, asOf);
    expect(lane.next(start)).toBeUndefined();
    lane.setDue([], { total: 0, sets: new Set(), oldest: null }, lane.staleness());
    expect(lane.next(start)?.position).toBe(1);
  });

  it('takes nothing new while a thousand deliveries wait', () => {
    const lane = laneWith(10);
    lane.setDue([], { total: 1_000, sets: new Set(), oldest: new Date(start) }, lane.staleness());
    expect([lane.next(start), lane.wants(lane.log)]).toEqual([undefined, false]);
  });
});

describe('fair turns', () => {
  it('give each webhook one event in turn, and an account no more than its share (I12)', async () => {
    const sent: string[] = [];
    const ends: (() => void)[] = [];
    const turns = createFairTurns({
      most: 6,
      mostOfAccount: 4,
      now: () => start,
      send: async (lane, delivery) => {
        sent.push(lane.webhook.webhookId);
        await new Promise<void>((resolve) => ends.push(resolve));
        lane.settle(delivery, shown(204), start);
      },
    });
    const [one, two, other] = [
      laneWith(50, { webhookId: 'one' }),
      laneWith(50, { webhookId: 'two' }),
      laneWith(50, { webhookId: 'other', account: '0x02' as Hex }),
    ];
    for (const lane of [one, two, other]) turns.offer(lane);
    expect(sent.toSorted()).toEqual(['one', 'one', 'other', 'other', 'two', 'two']);
    expect(turns.inFlight()).toBe(6);
    for (let round = 0; round < 5; round++) {
      for (const end of ends.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
      expect(turns.inFlight()).toBe(6);
    }
    const count = (name: string) => sent.filter((each) => each === name).length;
    expect(count('other')).toBeGreaterThanOrEqual(10);
    expect(Math.abs(count('one') - count('two'))).toBeLessThan(3);
    const closed = turns.close();
    for (const end of ends) end();
    await closed;
    expect(turns.inFlight()).toBe(0);
  });
});
