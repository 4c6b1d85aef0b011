import type { Reply } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { createWaiters, ReceiverStoppedError, TooManyWaitersError } from './waiters.ts';

const reply = (requestId: string, message = ''): Reply => ({
  requestId,
  kind: 'refused',
  refusal: { code: 'too-busy', message },
});
const never = new AbortController().signal;

describe('waiters', () => {
  it('hand each reply to the request it is for', async () => {
    const waiters = createWaiters(10);
    const [a, b] = [waiters.wait('a').next(never), waiters.wait('b').next(never)];
    waiters.deliver(reply('b'));
    waiters.deliver(reply('a'));
    waiters.deliver(reply('of nobody'));
    await expect(Promise.all([a, b])).resolves.toEqual([reply('a'), reply('b')]);
  });

  it('keep replies that come before they are asked for, in order and at most eight', async () => {
    const waiters = createWaiters(10);
    const waiter = waiters.wait('a');
    for (let n = 0; n < 20; n += 1) waiters.deliver(reply('a', String(n)));
    for (let n = 0; n < 8; n += 1) await expect(waiter.next(never)).resolves.toEqual(reply('a', String(n)));
    await expect(waiter.next(AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  it('end a wait with its signal and can wait again', async () => {
    const waiters = createWaiters(10);
    const waiter = waiters.wait('a');
    const controller = new AbortController();
    const first = waiter.next(controller.signal);
    controller.abort(new Error('time to poll'));
    await expect(first).rejects.toThrow('time to poll');
    const second = waiter.next(never);
    waiters.deliver(reply('a'));
    await expect(second).resolves.toEqual(reply('a'));
  });

  it('are bounded, and make room when one closes', () => {
    const waiters = createWaiters(1);
    const waiter = waiters.wait('a');
    expect(() => waiters.wait('b')).toThrow(TooManyWaitersError);
    waiter.close();
    expect(() => waiters.wait('b')).not.toThrow();
  });

  it('are told when the receiver stops', async () => {
    const waiters = createWaiters(10);
    const waiting = waiters.wait('a').next(never);
    waiters.stop();
    await expect(waiting).rejects.toBeInstanceOf(ReceiverStoppedError);
    expect(() => waiters.wait('b')).toThrow(ReceiverStoppedError);
  });
});
