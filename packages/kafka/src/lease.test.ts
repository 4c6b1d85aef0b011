import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { holdLease } from './lease.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const createHarness = () => {
  const state = { heartbeats: 0, fault: undefined as Error | undefined };
  const stopping = new AbortController();
  const lease = holdLease({
    heartbeat: async () => {
      state.heartbeats += 1;
      if (state.fault !== undefined) throw state.fault;
    },
    stopping: stopping.signal,
    intervalMs: 1000,
    sessionTimeoutMs: 10_000,
  });
  return { lease, state, stopping };
};

describe('the lease of a partition', () => {
  it('is kept by heartbeats however long the work takes, until it ends', async () => {
    const { lease, state } = createHarness();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(state.heartbeats).toBe(60);
    expect(lease.signal.aborted).toBe(false);
    lease.end();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('survives a heartbeat that does not get through, but not a session without any', async () => {
    const { lease, state } = createHarness();
    state.fault = new Error('connection closed');
    await jest.advanceTimersByTimeAsync(9000);
    expect(lease.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(2000);
    expect(lease.signal.aborted).toBe(true);
    expect(lease.lost()).toBe(state.fault);
    lease.end();
  });

  it('is lost at once when the group rebalances', async () => {
    const { lease, state } = createHarness();
    state.fault = Object.assign(new Error('rebalancing'), { type: 'REBALANCE_IN_PROGRESS' });
    await jest.advanceTimersByTimeAsync(1000);
    expect(lease.lost()).toBe(state.fault);
    lease.end();
  });

  it('ends the work, but is not lost, when the consumer stops', () => {
    const { lease, stopping } = createHarness();
    stopping.abort();
    expect(lease.signal.aborted).toBe(true);
    expect(lease.lost()).toBeUndefined();
    lease.end();
  });
});
