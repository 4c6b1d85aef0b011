import type { Hex } from '@indelible/identifiers';
import { createLogger } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import type { Lane } from './lane.ts';
import { createLanes } from './lanes.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const addressOf = (index: number): Hex => `0x${String(index).repeat(40)}`;

function lanesWith(resolve: (index: number) => Promise<Hex>) {
  const calls: string[] = [];
  const started = [0, 1].map(() => Promise.withResolvers<void>());
  const make = (index: number, address: Hex): Lane => ({
    name: `lane ${address}`,
    address,
    held: () => true,
    wake: () => void calls.push(`wake ${index}`),
    start: async () => {
      calls.push(`start ${index}`);
      started[index]?.resolve();
    },
    stop: async () => void calls.push(`stop ${index}`),
  });
  return { calls, started, lanes: createLanes({ count: 2, addressOf: resolve, make, logger }) };
}

describe('lanes whose keys are elsewhere', () => {
  it('begin each when its key answers: the start waits for none, and one delays no other (I11, I12)', async () => {
    let isReachable = false;
    const { calls, started, lanes } = lanesWith(async (index) => {
      if (index === 0 && !isReachable) throw new Error('unreachable');
      return addressOf(index);
    });
    await lanes.start();
    await started[1]?.promise;
    expect(lanes.ready?.()).toBe(false);
    expect(lanes.addresses()).toBeUndefined();
    expect(lanes.each().map(({ name }) => name)).toEqual([`lane ${addressOf(1)}`]);
    lanes.wake('waiting');
    isReachable = true;
    await started[0]?.promise;
    expect(lanes.ready?.()).toBe(true);
    expect(lanes.addresses()).toEqual([addressOf(0), addressOf(1)]);
    await lanes.stop();
    expect(calls).toEqual(['start 1', 'wake 1', 'start 0', 'stop 0', 'stop 1']);
  });

  it('end when they are stopped, also while a key does not answer', async () => {
    const { calls, started, lanes } = lanesWith(async (index) => {
      if (index === 0) throw new Error('unreachable');
      return addressOf(index);
    });
    await lanes.start();
    await started[1]?.promise;
    await lanes.stop();
    expect(calls).toEqual(['start 1', 'stop 1']);
  });
});
