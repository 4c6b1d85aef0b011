import type { Unhandled } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { MessageInvalidError } from './errors.ts';
import { createFaultPolicy, type Suspect } from './fault-policy.ts';

const permanent = new MessageInvalidError('bad');
const unavailable = Object.assign(new Error('database away'), { code: 'ECONNREFUSED' });
const unknown = new Error('out of luck');
const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
const race = Object.assign(new Error('duplicate key'), { code: '23505' });

type Fault = (items: readonly string[], call: number) => Error | undefined;

/** Handles letters; what `fault` throws is the fault of the call. `elsewhere` is called with each wait, before the next attempt. */
const createHarness = (fault: Fault, options: { unhandled?: Unhandled; maxWaits?: number; stepMs?: number } = {}) => {
  const calls: string[][] = [];
  const handled: string[] = [];
  const setAside: string[] = [];
  const delays: number[] = [];
  const controller = new AbortController();
  let suspect: Suspect | undefined;
  let successes = 0;
  const elsewhere = { succeeds: false };
  const policy = createFaultPolicy<string>({
    backoff: (failures) => failures * (options.stepMs ?? 10),
    wait: async (ms, signal) => {
      delays.push(ms);
      if (elsewhere.succeeds) successes += 1;
      if (delays.length === (options.maxWaits ?? 100)) controller.abort(new Error('stopped'));
      signal.throwIfAborted();
    },
    onRetry: () => undefined,
    handle: async (items) => {
      calls.push([...items]);
      const error = fault(items, calls.length);
      if (error !== undefined) throw error;
      handled.push(...items);
    },
    setAside: async (item, error, attempts) => void setAside.push(`${item}: ${error.message} (${attempts})`),
    idOf: (item) => item,
    suspects: {
      get: () => suspect,
      set: (next) => {
        suspect = next;
      },
    },
    successes: {
      count: () => successes,
      note: () => {
        successes += 1;
      },
    },
    unhandled: options.unhandled ?? 'set-aside',
  });
  const run = (items: readonly string[]) => policy.process(items, controller.signal);
  return { run, calls, handled, setAside, delays, elsewhere };
};

const letters = (count: number) => Array.from({ length: count }, (_, i) => `m${i}`);

describe('the fault policy', () => {
  it('handles a batch with one call when nothing fails', async () => {
    const { run, calls } = createHarness(() => undefined);
    expect(await run(['a', 'b', 'c'])).toEqual([]);
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  it('retries a fault of the surroundings with the same batch and longer and longer waits, skipping nothing', async () => {
    const { run, calls, handled, setAside, delays } = createHarness((_, call) => (call <= 3 ? unavailable : undefined));
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

  it('finds the one invalid message, sets it aside, and handles its neighbours in their order', async () => {
    const { run, handled, setAside, delays } = createHarness((items) => (items.includes('c') ? permanent : undefined));
    await run(['a', 'b', 'c', 'd', 'e']);
    expect(handled).toEqual(['a', 'b', 'd', 'e']);
    expect(setAside).toEqual(['c: bad (1)']);
    expect(delays).toEqual([]);
  });

  it('finds it with few calls', async () => {
    const { run, calls, setAside } = createHarness((items) => (items.includes('m300') ? permanent : undefined));
    await run(letters(500));
    expect(setAside).toEqual(['m300: bad (1)']);
    expect(calls.length).toBeLessThan(60);
  });

  it('sets aside every message when each is invalid', async () => {
    const { run, handled, setAside } = createHarness(() => permanent);
    await run(['a', 'b', 'c']);
    expect(handled).toEqual([]);
    expect(setAside).toEqual(['a: bad (1)', 'b: bad (1)', 'c: bad (1)']);
  });

  it.each([
    ['an unknown fault', unknown, 2_000],
    ['a programming error', new TypeError('x is undefined'), 2_000],
    ['a statement timeout', slow, 10_000],
    ['a lost connection', unavailable, 10_000],
  ])('waits for another attempt after %s as long as somebody needs the rest (I12)', async (_, error, longestMs) => {
    const { run, delays } = createHarness(() => error, { maxWaits: 10, stepMs: 1_000, unhandled: 'hold' });
    await expect(run(['a'])).rejects.toThrow('stopped');
    expect(Math.max(...delays)).toBe(longestMs);
  });

  it.each([
    ['an unknown fault', unknown, 6],
    ['a statement timeout', slow, 6],
    ['a lost race', race, 11],
    ['a programming error', new TypeError('x is undefined'), 2],
  ])(
    'sets a message aside that goes on failing by %s while others are handled, and no neighbour (I12)',
    async (_, error, attempts) => {
      const { run, handled, setAside, elsewhere } = createHarness((items) => (items.includes('c') ? error : undefined));
      elsewhere.succeeds = true;
      expect(await run(['a', 'b', 'c', 'd', 'e'])).toEqual([]);
      expect(setAside).toEqual([`c: ${error.message} (${attempts})`]);
      expect([...handled].sort()).toEqual(['a', 'b', 'd', 'e']);
    },
  );

  it('does so as well when nothing comes but what is behind it in its own partition (I11)', async () => {
    const { run, handled, setAside } = createHarness((items) => (items.includes('a') ? unknown : undefined));
    expect(await run(['a', ...letters(9)])).toEqual([]);
    expect(setAside).toHaveLength(1);
    expect([...handled].sort()).toEqual(letters(9));
  });

  it('asks for what is behind a message that has failed often and is the last in hand', async () => {
    const { run, setAside, handled } = createHarness((items) => (items.includes('b') ? unknown : undefined));
    expect(await run(['a', 'b'])).toEqual(['b']);
    expect({ handled, setAside }).toEqual({ handled: ['a'], setAside: [] });
    // Its failures are remembered when it is redelivered with others.
    expect(await run(['b', ...letters(6)])).toEqual([]);
    expect(setAside).toHaveLength(1);
    expect([...handled].sort()).toEqual(['a', ...letters(6)]);
  });

  it.each([
    ['unavailable', unavailable],
    ['unknown', unknown],
    ['slow', slow],
    ['contended', race],
    ['a defect of the code', new TypeError('x is undefined')],
  ])('sets nothing aside while everything fails, and handles all in order afterwards: %s', async (_, error) => {
    const { run, handled, setAside, delays } = createHarness(() => (delays.length < 25 ? error : undefined));
    let left = await run(letters(5));
    while (left.length > 0) left = await run(left);
    expect({ handled, setAside }).toEqual({ handled: letters(5), setAside: [] });
  });

  it('never sets a message aside for what is unavailable, though others are handled', async () => {
    const { run, setAside, elsewhere } = createHarness(() => unavailable);
    elsewhere.succeeds = true;
    await expect(run(['a'])).rejects.toThrow('stopped');
    expect(setAside).toEqual([]);
  });

  it('tries nothing ahead of a message where order is promised, and sets it aside when others are handled elsewhere', async () => {
    const { run, handled, setAside, elsewhere, delays } = createHarness(
      (items) => {
        elsewhere.succeeds = delays.length > 20;
        return items.includes('b') ? unknown : undefined;
      },
      { unhandled: 'set-aside-in-order' },
    );
    expect(await run(['a', 'b', 'c'])).toEqual([]);
    expect(handled).toEqual(['a', 'c']);
    expect(setAside).toHaveLength(1);
    expect(delays.length).toBeGreaterThan(20);
  });

  it('holds a topic at its first message that cannot be handled, and never tries one ahead of it', async () => {
    const { run, handled, setAside, elsewhere } = createHarness(
      (items) => (items.includes('b') ? permanent : undefined),
      {
        unhandled: 'hold',
      },
    );
    elsewhere.succeeds = true;
    await expect(run(['a', 'b', 'c'])).rejects.toThrow('stopped');
    expect({ handled, setAside }).toEqual({ handled: ['a'], setAside: [] });
  });

  it('ends only by its signal while the fault lasts, with nothing handled or set aside', async () => {
    const { run, handled, setAside } = createHarness(() => unavailable, { maxWaits: 5 });
    await expect(run(['a', 'b'])).rejects.toThrow('stopped');
    expect({ handled, setAside }).toEqual({ handled: [], setAside: [] });
  });
});
