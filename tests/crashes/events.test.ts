import { randomBytes } from 'node:crypto';
import { publicTopicDefaults, publicTopicOf } from '@indelible/public-events';
import { eventually, limitRecords } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { deathOf, expectDied } from './support/crash.ts';
import { type CrashStack, recoveryMs, startCrashStack } from './support/crash-stack.ts';
import { ask } from './support/patient.ts';
import type { placesBetweenParts } from './support/rounds.ts';

jest.setTimeout(300_000);

let running: CrashStack;
beforeAll(async () => {
  running = await startCrashStack();
});
afterAll(() => running?.stop());

/** The largest record that the broker takes of the public topic, in bytes. */
async function takeUpTo(bytes: number): Promise<void> {
  const topic = publicTopicOf(`${running.topicPrefix}${publicTopicDefaults.prefix}`);
  await limitRecords(running.connection.kafkaBrokers.split(','), topic, bytes);
}

const stampSome = () => ask(() => running.client.stamp({ data_cid: `0x${randomBytes(32).toString('hex')}` }));
const held = async (): Promise<number> =>
  (await running.pool.query('select from notifications.unpublished where held')).rowCount ?? 0;

describe('SIGKILL of notifications', () => {
  const dies = async (place: (typeof placesBetweenParts)[number], act: () => Promise<unknown>): Promise<void> => {
    const death = deathOf(place);
    const since = running.log.length;
    await running.arm(death.service, death.point);
    await act();
    await expectDied(running, since, death);
  };

  it('that holds back what no broker takes, and while it releases it, leaves each event once by its id, in order (I5, I11)', async () => {
    await stampSome();
    await running.events.untilWhole(recoveryMs);
    await takeUpTo(200);
    await dies('relay.held of notifications', stampSome);
    await stampSome();
    await eventually(async () => expect(await held()).toBeGreaterThan(1), { timeoutMs: recoveryMs });
    await takeUpTo(1_048_588);
    // Its next leader tries at once what is held back.
    await dies('relay.held-published of notifications', async () => {});
    await stampSome();
    await running.events.untilWhole(recoveryMs);
    expect(await held()).toBe(0);
  });
});
