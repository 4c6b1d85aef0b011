import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BrokerUnavailableError, PublisherBusyError, RecordsRefusedError } from './errors.ts';
import { createMicroBatch, type MicroBatchOptions } from './micro-batch.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A batch whose sends are recorded and answered by the test. */
const createHarness = (overrides: Partial<MicroBatchOptions<string>> = {}) => {
  const sent: string[][] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const batch = createMicroBatch<string>({
    send: (items) => {
      sent.push([...items]);
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      return answer.promise;
    },
    sizeOf: (item) => item.length,
    lingerMs: 1,
    maxBatchBytes: 1000,
    maxBatchItems: 100,
    maxQueued: 100,
    timeoutMs: 5000,
    ...overrides,
  });
  const linger = () => jest.advanceTimersByTimeAsync(1);
  return { batch, sent, answers, linger };
};

describe('micro-batching', () => {
  it('sends what several callers bring within the linger as one request, in the order of the calls', async () => {
    const { batch, sent, answers, linger } = createHarness();
    const calls = [batch.add(['a', 'b']), batch.add(['c'])];
    await linger();
    expect(sent).toEqual([['a', 'b', 'c']]);
    answers[0]!.resolve();
    await expect(Promise.all(calls)).resolves.toHaveLength(2);
  });

  it('has one request in flight at a time, so that a later message never overtakes an earlier one', async () => {
    const { batch, sent, answers, linger } = createHarness();
    const first = batch.add(['a']);
    await linger();
    const second = batch.add(['b']);
    const third = batch.add(['c']);
    await linger();
    expect(sent).toEqual([['a']]);
    answers[0]!.resolve();
    await first;
    await linger();
    expect(sent).toEqual([['a'], ['b', 'c']]);
    answers[1]!.resolve();
    await Promise.all([second, third]);
  });

  it('splits by bytes and by items, and resolves a call when its last part is acknowledged', async () => {
    const { batch, sent, answers, linger } = createHarness({ maxBatchBytes: 4, maxBatchItems: 3 });
    let done = false;
    const call = batch.add(['aaa', 'b', 'cc', 'd', 'e']).then(() => {
      done = true;
    });
    await linger();
    expect(sent).toEqual([['aaa', 'b']]);
    answers[0]!.resolve();
    await linger();
    expect(done).toBe(false);
    expect(sent[1]).toEqual(['cc', 'd', 'e']);
    answers[1]!.resolve();
    await call;
    expect(done).toBe(true);
  });

  it('sends an item that alone is over the size of a batch by itself', async () => {
    const { batch, sent, answers, linger } = createHarness({ maxBatchBytes: 2 });
    const call = batch.add(['aaaaaa']);
    await linger();
    expect(sent).toEqual([['aaaaaa']]);
    answers[0]!.resolve();
    await call;
  });

  it('sends a full batch without waiting for the linger', async () => {
    const { batch, sent, answers } = createHarness({ maxBatchItems: 2, lingerMs: 1_000_000 });
    const call = batch.add(['a', 'b']);
    await jest.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([['a', 'b']]);
    answers[0]!.resolve();
    await call;
  });

  it('drops what is left of a call whose earlier part failed, and sends the calls behind it', async () => {
    const { batch, sent, answers, linger } = createHarness({ maxBatchItems: 2 });
    const failing = batch.add(['a', 'b', 'c']);
    const other = batch.add(['x']);
    const failure = expect(failing).rejects.toThrow('away');
    await jest.advanceTimersByTimeAsync(0);
    answers[0]!.reject(new BrokerUnavailableError('away'));
    await failure;
    await linger();
    expect(sent).toEqual([['a', 'b'], ['x']]);
    answers[1]!.resolve();
    await other;
  });

  it('sends the calls of a refused request in ever smaller parts, in their order, so that only the invalid one fails', async () => {
    const sent: string[][] = [];
    const { batch, linger } = createHarness({
      async send(items) {
        sent.push([...items]);
        if (items.includes('bad')) throw new RecordsRefusedError('refused');
      },
    });
    const calls = [batch.add(['a', 'b']), batch.add(['c']), batch.add(['d', 'bad', 'e']), batch.add(['f'])];
    const settled = Promise.allSettled(calls);
    await linger();
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(sent.map((items) => items.join(' '))).toEqual(['a b c d bad e f', 'a b c', 'd bad e f', 'd bad e', 'f']);
  });

  it('does not send a refused part again for callers that no longer wait', async () => {
    const { batch, sent, answers, linger } = createHarness({ timeoutMs: 5000 });
    const calls = [batch.add(['a']), batch.add(['b'])];
    const late = calls.map((call) => expect(call).rejects.toBeInstanceOf(BrokerUnavailableError));
    await linger();
    await jest.advanceTimersByTimeAsync(5000);
    await Promise.all(late);
    answers[0]!.reject(new RecordsRefusedError('refused'));
    await linger();
    expect(sent).toEqual([['a', 'b']]);
  });

  it('leaves out the calls that no longer wait when it divides a refused request', async () => {
    const { batch, sent, answers, linger } = createHarness({ timeoutMs: 5000 });
    const first = batch.add(['x']);
    await linger();
    const late = expect(batch.add(['a', 'b'])).rejects.toBeInstanceOf(BrokerUnavailableError);
    await jest.advanceTimersByTimeAsync(1000);
    const calls = [batch.add(['c']), batch.add(['d']), batch.add(['e'])];
    answers[0]!.resolve();
    await first;
    await jest.advanceTimersByTimeAsync(4000);
    await late;
    for (const index of [1, 2, 3]) {
      if (index === 1) answers[1]!.reject(new RecordsRefusedError('refused'));
      else answers[index]!.resolve();
      await linger();
    }
    expect(sent.map((items) => items.join(' '))).toEqual(['x', 'a b c d e', 'c', 'd e']);
    await Promise.all(calls);
  });

  it('sends no other half of a refused request when the brokers are unavailable for the first', async () => {
    const { batch, sent, answers, linger } = createHarness();
    const failures = ['a', 'b', 'c', 'd'].map((item) => expect(batch.add([item])).rejects.toThrow('away'));
    await linger();
    answers[0]!.reject(new RecordsRefusedError('refused'));
    await linger();
    answers[1]!.reject(new BrokerUnavailableError('away'));
    await Promise.all(failures);
    const next = batch.add(['e']);
    await linger();
    expect(sent).toEqual([['a', 'b', 'c', 'd'], ['a', 'b'], ['e']]);
    answers[2]!.resolve();
    await next;
  });

  it('refuses more than its bound at once, and takes in again when there is room', async () => {
    const { batch, answers, linger } = createHarness({ maxQueued: 2 });
    const first = batch.add(['a', 'b']);
    await expect(batch.add(['c'])).rejects.toBeInstanceOf(PublisherBusyError);
    await linger();
    answers[0]!.resolve();
    await first;
    const second = batch.add(['c']);
    await linger();
    answers[1]!.resolve();
    await second;
  });

  it('answers a caller in time and does not send what nobody waits for any more', async () => {
    const { batch, sent, answers, linger } = createHarness({ timeoutMs: 5000 });
    const inFlight = expect(batch.add(['a'])).rejects.toBeInstanceOf(BrokerUnavailableError);
    await linger();
    const queued = expect(batch.add(['b'])).rejects.toBeInstanceOf(BrokerUnavailableError);
    await jest.advanceTimersByTimeAsync(5000);
    await Promise.all([inFlight, queued]);
    answers[0]!.resolve();
    const next = batch.add(['c']);
    await linger();
    expect(sent).toEqual([['a'], ['c']]);
    answers[1]!.resolve();
    await next;
  });

  it('sends what is queued before it closes, and takes nothing in afterwards', async () => {
    const { batch, sent, answers } = createHarness({ lingerMs: 1_000_000 });
    const call = batch.add(['a']);
    const closing = batch.close();
    await jest.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([['a']]);
    await expect(batch.add(['b'])).rejects.toBeInstanceOf(BrokerUnavailableError);
    answers[0]!.resolve();
    await Promise.all([call, closing]);
  });
});
