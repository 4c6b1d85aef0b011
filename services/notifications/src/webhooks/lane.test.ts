import { describe, expect, it } from '@jest/globals';
import {
  dueAt,
  laneWith,
  shown,
  start,
  takeAll,
  trackedAt,
  waitingOf,
  webhookOf,
  write,
} from '../../tests/support/lanes.ts';
import { mostInFlight } from '../decisions/receiver-pace.ts';
import { nothingWaiting } from '../tables/deliveries.ts';
import { createLane } from './lane.ts';

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
    for (const one of takeAll(lane)) lane.settle(one, shown(429, { retryAfter: '120' }), start);
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

  it('in order lets no event go before one whose failure is not written yet', () => {
    const lane = laneWith(60, { ordered: true });
    const [first] = takeAll(lane);
    // Those behind it wait in the table, since it takes long.
    expect(lane.next(start + 1_000)).toBeUndefined();
    expect(lane.unwritten()).toHaveLength(59);
    write(lane);
    lane.setDue([dueAt(2), dueAt(3)], waitingOf(59, 60), lane.staleness());
    expect(lane.next(start + 15_000)).toBeUndefined();
    lane.settle(first!, shown(500), start + 15_000);
    expect(lane.next(start + 15_000)).toBeUndefined();
    write(lane);
    lane.setDue([], waitingOf(60, 60), lane.staleness());
    expect(lane.next(start + 15_000)).toBeUndefined();
    lane.setDue([dueAt(1)], waitingOf(60, 60), lane.staleness());
    expect(lane.next(start + 20_000)?.position).toBe(1);
  });

  it.each([2, 5_000])(
    'in order, opened again, sends nothing that waits before the log was read up to it (%d wait)',
    (total) => {
      const lane = createLane(webhookOf({ ordered: true }), undefined);
      lane.setDue([dueAt(2)], waitingOf(total, 3), lane.staleness());
      expect([lane.next(start), lane.wants(lane.log)]).toEqual([undefined, true]);
      lane.log.append([trackedAt(1)], 1);
      expect([lane.next(start), lane.wants(lane.log)]).toEqual([undefined, true]);
      lane.log.append([trackedAt(2), trackedAt(3)], 3);
      expect(lane.next(start)).toBeUndefined();
      expect(lane.unwritten().map(({ position, status }) => [position, status])).toEqual([
        [1, 'waiting'],
        [2, 'waiting'],
        [3, 'waiting'],
      ]);
      write(lane);
      lane.setDue([dueAt(1)], waitingOf(total + 1, 3), lane.staleness());
      expect(takeAll(lane).map(({ position }) => position)).toEqual([1]);
    },
  );

  it('rests while what waits has changed in the table, and is not read again', () => {
    const lane = laneWith(10);
    const asOf = lane.staleness();
    lane.markStale();
    lane.setDue([], nothingWaiting, asOf);
    expect(lane.next(start)).toBeUndefined();
    lane.setDue([], nothingWaiting, lane.staleness());
    expect(lane.next(start)?.position).toBe(1);
  });

  it('takes nothing new while a thousand deliveries wait', () => {
    const lane = laneWith(10);
    lane.setDue([], waitingOf(1_000, 0), lane.staleness());
    expect([lane.next(start), lane.wants(lane.log)]).toEqual([undefined, false]);
  });
});
