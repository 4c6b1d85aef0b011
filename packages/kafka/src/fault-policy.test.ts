import { describe, expect, it } from '@jest/globals';
import { MessageInvalidError } from './errors.ts';
import { createFaultPolicy } from './fault-policy.ts';
import { createPersist } from './retry.ts';

const permanent = new MessageInvalidError('bad');

/** Handles letters; what `fault` throws is the fault of the call. */
const createHarness = (fault: (items: readonly string[], call: number) => Error | undefined) => {
  const calls: string[][] = [];
  const handled: string[] = [];
  const setAside: string[] = [];
  const delays: number[] = [];
  const setAsideFaults: Error[] = [];
  const controller = new AbortController();
  const policy = createFaultPolicy<string>({
    persist: createPersist({
      backoff: (attempt) => attempt * 10,
      wait: async (ms, signal) => {
        delays.push(ms);
        if (delays.length === 5) controller.abort(new Error('stopped'));
        signal.throwIfAborted();
      },
      onRetry: () => undefined,
    }),
    handle: async (items) => {
      calls.push([...items]);
      const error = fault(items, calls.length);
      if (error !== undefined) throw error;
      handled.push(...items);
    },
    setAside: async (item, error) => {
      const unavailable = setAsideFaults.shift();
      if (unavailable !== undefined) throw unavailable;
      setAside.push(`${item}: ${error.message}`);
    },
  });
  const run = (items: readonly string[]) => policy.process(items, controller.signal);
  return { run, calls, handled, setAside, delays, setAsideFaults };
};

describe('the fault policy', () => {
  it('handles a batch with one call when nothing fails', async () => {
    const { run, calls } = createHarness(() => undefined);
    await run(['a', 'b', 'c']);
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  it('retries a fault of the surroundings with the same batch and longer and longer waits, skipping nothing', async () => {
    const { run, calls, handled, setAside, delays } = createHarness((_, call) =>
      call <= 3 ? new Error('database away') : undefined,
    );
    await run(['a', 'b']);
    expect(calls).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(delays).toEqual([10, 20, 30]);
    expect({ handled, setAside }).toEqual({ handled: ['a', 'b'], setAside: [] });
  });

  it('finds the one message at fault, sets it aside, and handles its neighbours in their order', async () => {
    const { run, handled, setAside } = createHarness((items) => (items.includes('c') ? permanent : undefined));
    await run(['a', 'b', 'c', 'd', 'e']);
    expect(handled).toEqual(['a', 'b', 'd', 'e']);
    expect(setAside).toEqual(['c: bad']);
  });

  it('sets aside every message when each is at fault', async () => {
    const { run, handled, setAside } = createHarness(() => permanent);
    await run(['a', 'b', 'c']);
    expect(handled).toEqual([]);
    expect(setAside).toEqual(['a: bad', 'b: bad', 'c: bad']);
  });

  it('keeps trying to set a message aside before it goes on', async () => {
    const { run, setAside, delays, setAsideFaults } = createHarness(() => permanent);
    setAsideFaults.push(new Error('Kafka away'), new Error('Kafka away'));
    await run(['a']);
    expect(setAside).toEqual(['a: bad']);
    expect(delays).toHaveLength(2);
  });

  it('ends only by its signal while the fault lasts, with nothing handled or set aside', async () => {
    const { run, handled, setAside } = createHarness(() => new Error('for ever'));
    await expect(run(['a', 'b'])).rejects.toThrow('stopped');
    expect({ handled, setAside }).toEqual({ handled: [], setAside: [] });
  });
});
