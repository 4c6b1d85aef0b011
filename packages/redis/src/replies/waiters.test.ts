import type { Reply } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { createWaiters, ReceiverStoppedError, type ReplyWaiter, TooManyWaitersError } from './waiters.ts';

const reply = (requestId: string, message = ''): Reply => ({
  requestId,
  kind: 'refused',
  refusal: { code: 'too-busy', message },
});
const heardBy = (waiter: ReplyWaiter): Reply[] => {
  const heard: Reply[] = [];
  waiter.listen((one) => heard.push(one));
  return heard;
};

describe('waiters', () => {
  it('hand each reply to the request it is for', () => {
    const waiters = createWaiters(10);
    const [a, b] = [heardBy(waiters.wait('a')), heardBy(waiters.wait('b'))];
    waiters.deliver(reply('b'));
    waiters.deliver(reply('a'));
    waiters.deliver(reply('of nobody'));
    expect([a, b]).toEqual([[reply('a')], [reply('b')]]);
  });

  it('keep replies that come before they listen, in order and at most eight', () => {
    const waiters = createWaiters(10);
    const waiter = waiters.wait('a');
    for (let n = 0; n < 20; n += 1) waiters.deliver(reply('a', String(n)));
    const heard = heardBy(waiter);
    expect(heard).toEqual(Array.from({ length: 8 }, (_, n) => reply('a', String(n))));
    waiters.deliver(reply('a', 'later'));
    expect(heard.at(-1)).toEqual(reply('a', 'later'));
  });

  it('hear nothing once they are closed', () => {
    const waiters = createWaiters(10);
    const waiter = waiters.wait('a');
    const heard = heardBy(waiter);
    waiter.close();
    waiters.deliver(reply('a'));
    expect(heard).toEqual([]);
  });

  it('are bounded, and make room when one closes', () => {
    const waiters = createWaiters(1);
    const waiter = waiters.wait('a');
    expect(() => waiters.wait('b')).toThrow(TooManyWaitersError);
    waiter.close();
    expect(() => waiters.wait('b')).not.toThrow();
  });

  it('are none once the receiver has stopped', () => {
    const waiters = createWaiters(10);
    const heard = heardBy(waiters.wait('a'));
    waiters.stop();
    waiters.deliver(reply('a'));
    expect(heard).toEqual([]);
    expect(() => waiters.wait('b')).toThrow(ReceiverStoppedError);
  });
});
