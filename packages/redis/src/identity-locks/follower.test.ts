import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createFollower } from './follower.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const never = new AbortController().signal;
const createHarness = () => {
  const lock = { held: true };
  return { lock, ...createFollower({ isHeld: async () => lock.held, leave: () => undefined }) };
};

describe('a follower', () => {
  it('gets the outcome that comes while it waits', async () => {
    const { follower, settle } = createHarness();
    const outcome = follower.outcome(never, 1000);
    settle({ kind: 'outcome', outcome: '{}' });
    await expect(outcome).resolves.toEqual({ kind: 'outcome', outcome: '{}' });
  });

  it('gets the outcome that came before it waited, and only the first', async () => {
    const { follower, settle } = createHarness();
    settle({ kind: 'outcome', outcome: '1' });
    settle({ kind: 'vanished' });
    await expect(follower.outcome(never, 1000)).resolves.toEqual({ kind: 'outcome', outcome: '1' });
  });

  it('checks the lock repeatedly, and reports when it has vanished', async () => {
    const { follower, lock } = createHarness();
    const outcome = follower.outcome(never, 1000);
    await jest.advanceTimersByTimeAsync(5000);
    lock.held = false;
    await jest.advanceTimersByTimeAsync(1000);
    await expect(outcome).resolves.toEqual({ kind: 'vanished' });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits no longer than its signal', async () => {
    const { follower } = createHarness();
    const controller = new AbortController();
    const outcome = follower.outcome(controller.signal, 1000);
    controller.abort(new Error('time over'));
    await expect(outcome).rejects.toThrow('time over');
    expect(jest.getTimerCount()).toBe(0);
  });
});
