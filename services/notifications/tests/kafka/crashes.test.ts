import { newId } from '@indelible/identifiers';
import { fromLogBody } from '@indelible/public-events';
import type { FailpointName } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { accountOf, confirmed, fileStored, finalized, stampOf, submitted } from '../support/messages.ts';
import {
  createSurroundings,
  distinct,
  expectWhole,
  namesOfStamp,
  type Surroundings,
} from '../support/notifications.ts';
import { startProcess } from '../support/process.ts';

jest.setTimeout(180_000);

let world: Surroundings;
beforeAll(async () => {
  world = await createSurroundings();
  world.config.kafkaSessionTimeoutMs = await world.kafka.shortestSessionMs();
}, 120_000);
afterAll(() => world.stop(), 60_000);

const patience = { timeoutMs: 90_000 };
const names = ['stamp.submitted', 'stamp.confirmed', 'file.stored', 'stamp.finalized'];

/** How often the log has each event. */
const logged = async (): Promise<number[]> => {
  const { rows } = await world.database.pool.query<{ events: unknown }>('select events from notifications.log');
  return [
    ...Map.groupBy(
      rows.flatMap(({ events }) => fromLogBody(events)),
      ({ id }) => id,
    ).values(),
  ].map(({ length }) => length);
};

describe('SIGKILL of notifications', () => {
  it.each<FailpointName>(['notifications.projecting', 'notifications.projected', 'relay.published'])(
    'at %s loses no event and doubles none by its id (I5)',
    async (failpoint) => {
      const stamp = stampOf({ account: accountOf(failpoint) });
      const batchId = newId();
      const dying = startProcess(world.config, failpoint);
      await world.publish(submitted(batchId, [stamp]), confirmed(batchId, stamp));
      expect(await dying.died()).toBe('SIGKILL');
      const next = startProcess(world.config);
      await world.publish(fileStored(stamp), finalized(batchId, [stamp]));
      await eventually(
        () => expect(namesOfStamp(world.records, stamp.stampId).sort()).toEqual(names.toSorted()),
        patience,
      );
      await next.kill();
      expectWhole(world.records);
      expect(new Set(await logged())).toEqual(new Set([1]));
    },
  );

  it('two replicas at once, one of them killed under load: each event once by its id, in order (I5)', async () => {
    const replicas = [startProcess(world.config), startProcess(world.config)];
    const accounts = ['a', 'b', 'c'].map(accountOf);
    const stamps = Array.from({ length: 240 }, (_, at) => stampOf({ account: accounts[at % 3]! }));
    for (let at = 0; at < stamps.length; at += 40) {
      const part = stamps.slice(at, at + 40);
      const batchId = newId();
      await world.publish(finalized(batchId, part), ...part.map((stamp) => fileStored(stamp)));
      await world.publish(...part.map((stamp) => confirmed(batchId, stamp)));
      await world.publish(submitted(batchId, part));
      if (at === 120) {
        await eventually(() => expect(namesOfStamp(world.records, stamps[0]!.stampId)).toHaveLength(4), patience);
        await replicas[0]?.kill();
      }
    }
    const ids = new Set(stamps.map(({ stampId }) => stampId));
    const own = () => distinct(world.records).filter(({ headers }) => ids.has(headers.ce_subject ?? ''));
    await eventually(() => expect(own()).toHaveLength(4 * stamps.length), patience);
    for (const { stampId } of stamps) {
      const events = namesOfStamp(world.records, stampId);
      expect([events.toSorted(), events.slice(0, 2)]).toEqual([names.toSorted(), names.slice(0, 2)]);
    }
    expectWhole(world.records);
    expect(new Set(await logged())).toEqual(new Set([1]));
    await replicas[1]?.kill();
  });
});
