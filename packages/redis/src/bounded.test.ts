import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { boundedOr } from './bounded.ts';

const never = new Promise<never>(() => {});

describe('a bounded command', () => {
  it('has its result, or the fallback when it fails or takes longer', async () => {
    expect(await boundedOr(Promise.resolve('result'), 'fallback', 1_000)).toBe('result');
    expect(await boundedOr(Promise.reject(new Error('fault')), 'fallback', 1_000)).toBe('fallback');
    expect(await boundedOr(never, 'fallback', 10)).toBe('fallback');
  });

  it('has its result when it came in time and only this process was too busy to read it', async () => {
    // After the socket reads, so that timers are due before the next ones.
    await setImmediate();
    const { port1, port2 } = new MessageChannel();
    const command = new Promise((resolve) => port1.once('message', resolve));
    const bounded = boundedOr(command, 'fallback', 10);
    port2.postMessage('result');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    expect(await bounded).toBe('result');
    port1.close();
  });
});
