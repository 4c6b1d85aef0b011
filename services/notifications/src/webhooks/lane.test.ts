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
import { nothingWaiting } from '../decisions/deliveries.ts';
import { mostInFlight } from '../decisions/receiver-pace.ts';
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
    // Those behind it wait in the table, since it is slow.
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

  it.each([true, false])(
    'leaves the events of a collection in the log when a hundred of it wait, and others are sent (ordered: %s)',
    (ordered) => {
      const lane = laneWith(60, { ordered }, (at) => (at % 2 === 0 ? 'a' : 'b'));
      lane.setDue([], waitingOf(100, 0), lane.staleness());
      const sent: string[] = [];
      const sendAll = (): void => {
        for (let some = takeAll(lane); some.length > 0; some = takeAll(lane))
          for (const one of some) {
            sent.push(`${one.set}${one.position}`);
            lane.settle(one, shown(204), start);
          }
      };
      sendAll();
      const even = Array.from({ length: 30 }, (_, at) => `b${2 * (at + 1)}`);
      expect(sent).toEqual(even);
      const changes = lane.backlogs.changes(lane.log.readTo());
      expect([changes, lane.log.settledTo(), lane.waiting()]).toEqual([
        { begun: [{ set: 'a', position: 0 }], moved: [], ended: [] },
        60,
        100,
      ]);
      lane.backlogs.written(changes);
      // What arrives meanwhile is also left.
      expect([trackedAt(61, 'a'), trackedAt(61, 'b')].map(lane.backlogs.leaves)).toEqual([true, false]);
      expect(lane.backlogsToRead()).toEqual([]);

      lane.setDue([], nothingWaiting, lane.staleness());
      const [backlog] = lane.backlogsToRead();
      backlog!.track.append(
        Array.from({ length: 30 }, (_, at) => trackedAt(2 * at + 1, 'a')),
        60,
      );
      sendAll();
      expect(sent.slice(30)).toEqual(Array.from({ length: 30 }, (_, at) => `a${2 * at + 1}`));
      expect(lane.backlogs.changes(lane.log.readTo())).toEqual({ begun: [], moved: [], ended: ['a'] });
      expect(lane.backlogs.leaves(trackedAt(61, 'a'))).toBe(false);
      expect(lane.backlogs.isEmpty()).toBe(false);
      lane.backlogs.written({ begun: [], moved: [], ended: ['a'] });
      expect(lane.backlogs.isEmpty()).toBe(true);
    },
  );

  it('sends new events between attempts at those that are refused, and does not pause for these', () => {
    const lane = laneWith(40);
    lane.setDue(
      Array.from({ length: 16 }, (_, at) => dueAt(at - 20)),
      waitingOf(16, -5),
      lane.staleness(),
    );
    const taken: number[] = [];
    for (let now = start; now < start + 100; now++)
      for (const one of takeAll(lane, now)) {
        if (one.position > 0) taken.push(one.position);
        lane.settle(one, shown(one.position > 0 ? 204 : 500), now);
      }
    expect(taken).toHaveLength(40);
  });

  it('opened again reads what is before a backlog first, and what is in it afterwards', () => {
    const lane = createLane(webhookOf({ ordered: true }), undefined, start, new Map([['a', 2]]));
    lane.setDue([], nothingWaiting, lane.staleness());
    expect(lane.backlogsToRead()).toEqual([]);
    const read = [1, 2, 3, 4].map((position) => trackedAt(position)).filter((event) => !lane.backlogs.leaves(event));
    lane.log.append(read, 4);
    expect(lane.backlogsToRead()).toEqual([]);
    for (const position of [1, 2]) {
      const [one, ...others] = takeAll(lane);
      expect([one?.position, others]).toEqual([position, []]);
      lane.settle(one!, shown(204), start);
    }
    expect(lane.backlogsToRead().map(({ set }) => set)).toEqual(['a']);
    lane.backlogs.of('a')!.track.append([trackedAt(3), trackedAt(4)], 4);
    expect(lane.backlogs.changes(4)).toEqual({ begun: [], moved: [], ended: [] });
    const [third] = takeAll(lane);
    lane.settle(third!, shown(500), start);
    // In order, the rest waits for it in the log, and none of it is in the table.
    expect([takeAll(lane), lane.unwritten().filter(({ status }) => status === 'waiting')]).toMatchObject([
      [],
      [{ position: 3 }],
    ]);
    expect(lane.backlogs.changes(4)).toEqual({ begun: [], moved: [{ set: 'a', position: 3 }], ended: [] });
  });

  it('takes nothing new while five thousand deliveries wait', () => {
    const lane = laneWith(10);
    lane.setDue([], waitingOf(5_000, 0), lane.staleness());
    expect([lane.next(start), lane.wants(lane.log)]).toEqual([undefined, false]);
  });
});
