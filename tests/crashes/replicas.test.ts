import { randomBytes } from 'node:crypto';
import type { SupervisedService } from '@indelible/launcher';
import type { FailpointName } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { commitmentsOf, expectHonestLanes, expectOneCommitment } from './support/chain.ts';
import { type CrashStack, recoveryMs, startCrashStack } from './support/crash-stack.ts';
import { ask } from './support/patient.ts';
import { expectAllHeard, expectOnceEverywhere, stampIdOf } from './support/records.ts';

jest.setTimeout(240_000);

const newCid = (): string => `0x${randomBytes(32).toString('hex')}`;

let running: CrashStack;
let first: SupervisedService;
let second: SupervisedService;
beforeAll(async () => {
  running = await startCrashStack();
  first = running.stack.services.stamping;
  second = await running.stack.startReplica('stamping');
});
afterAll(async () => {
  // A frozen process could not be stopped.
  signalTo(first, 'SIGCONT');
  await running?.stop();
});

function signalTo(service: SupervisedService | undefined, signal: NodeJS.Signals): void {
  const pid = service?.pid();
  if (pid !== undefined) process.kill(pid, signal);
}

const linesSince = (since: number, text: string): string[] =>
  running.log.slice(since).flatMap((line) => (line.includes(text) ? [line.slice(line.indexOf(' ') + 1)] : []));

/**
 * Restarts the first with a point armed, and then gives it the only lane, whose key both have, from the second. Where
 * it freezes, it does so as the lane's holder: only that one signs.
 */
async function armHolder(point: FailpointName): Promise<void> {
  await running.arm('stamping', point, 'stop');
  await second.restart({});
  await second.untilReady(AbortSignal.timeout(recoveryMs));
}

async function untilFrozen(since: number, point: FailpointName): Promise<void> {
  await eventually(() => expect(linesSince(since, 'failpoint ')).toEqual([`failpoint ${point}: SIGSTOP`]), {
    timeoutMs: recoveryMs,
  });
}

const holderOf = async (): Promise<{ holder: string; token: number }> => {
  const { rows } = await running.pool.query<{ holder: string; token: number }>(
    'select lease_holder as holder, lease_token as token from stamping.lanes',
  );
  return rows[0] as { holder: string; token: number };
};

describe('the holder of a lane that stands still until its lease has passed', () => {
  it.each(['stamping.batch-signing', 'stamping.batch-stored'] as const)(
    'at %s is replaced meanwhile, and its late write is fenced off (I2, I3)',
    async (point) => {
      await armHolder(point);
      const since = running.log.length;
      const before = await holderOf();
      const cid = newCid();
      const request = { data_cid: cid, collection_name: cid.slice(2, 14) };
      const answer = ask(() => running.client.stamp(request));
      await untilFrozen(since, point);
      // The first is still frozen: the second has done what the client gets.
      const { body } = await answer;
      const after = await holderOf();
      expect(after.holder).not.toBe(before.holder);
      expect(after.token).toBeGreaterThan(before.token);
      await expectOneCommitment(running, body.commitment_receipt);

      signalTo(first, 'SIGCONT');
      await first.untilReady(AbortSignal.timeout(recoveryMs));
      // Whatever the first does late is done by the time it takes part in the next stamps.
      for (const next of [newCid(), newCid(), newCid()]) {
        const later = await ask(() => running.client.stamp({ data_cid: next, collection_name: 'later' }));
        await expectOneCommitment(running, later.body.commitment_receipt);
      }
      expect(await holderOf()).toEqual(after);
      await expectOneCommitment(running, body.commitment_receipt);
      await eventually(async () => expectOnceEverywhere(running, await stampIdOf(running, cid), cid), {
        timeoutMs: recoveryMs,
      });
      await expectHonestLanes(running);
    },
  );
});

describe('two replicas of stamping under load', () => {
  it('use no nonce twice and make every stamp once, while one is killed and comes back (I2, I3)', async () => {
    const cids = Array.from({ length: 300 }, newCid);
    const waiting = [...cids];
    const made: string[] = [];
    const halfway = Promise.withResolvers<void>();
    const client = async (): Promise<void> => {
      for (let cid = waiting.shift(); cid !== undefined; cid = waiting.shift()) {
        const objectCid = cid;
        const { body } = await ask(() => running.client.stamp({ data_cid: objectCid, collection_name: 'load' }));
        made.push(body.commitment_receipt.object_cid);
        if (made.length === cids.length / 3) halfway.resolve();
      }
    };
    const load = Promise.all(Array.from({ length: 50 }, client));
    await Promise.race([halfway.promise, load]);
    await second.kill();
    await second.untilReady(AbortSignal.timeout(recoveryMs));
    await first.kill();
    await load;
    expect(made.toSorted()).toEqual(cids.toSorted());
    expect(await commitmentsOf(running, cids)).toEqual(Object.fromEntries(cids.map((cid) => [cid, 1])));
    await expectHonestLanes(running);
    await running.untilAllReady();
    await eventually(() => expectAllHeard(running), { timeoutMs: recoveryMs, intervalMs: 200 });
  });
});
