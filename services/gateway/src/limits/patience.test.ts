import { describe, expect, it } from '@jest/globals';
import { createPatience } from './patience.ts';

const never = new Promise<never>(() => {});

describe('what a request waits for parts of the service', () => {
  it('ends with a retryable error when the time is over, and aborts the work', async () => {
    const patience = createPatience(20);
    let over: AbortSignal | undefined;
    const waiting = patience((signal) => {
      over = signal;
      return never;
    });
    await expect(waiting).rejects.toMatchObject({ name: 'UnavailableError', retryable: true });
    expect(over?.aborted).toBe(true);
  });

  it('is all its waits together: what one has used up is not there for the next', async () => {
    const patience = createPatience(20);
    await expect(patience(() => never)).rejects.toThrow('within 20 ms');
    await expect(patience(() => never)).rejects.toThrow('within 20 ms');
    expect(await patience(async () => 'at once')).toBe('at once');
  });

  it('passes on a result or an error of the work, and does not abort its signal', async () => {
    const patience = createPatience(10_000);
    let over: AbortSignal | undefined;
    expect(
      await patience(async (signal) => {
        over = signal;
        return 'result';
      }),
    ).toBe('result');
    await expect(patience(() => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(over?.aborted).toBe(false);
  });

  it('handles an error of the work that comes too late', async () => {
    const work = Promise.withResolvers<never>();
    await expect(createPatience(1)(() => work.promise)).rejects.toMatchObject({ retryable: true });
    work.reject(new Error('late'));
    await expect(work.promise).rejects.toThrow('late');
  });
});
