import type { Receipt } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { decideStamp } from './decide-stamp.ts';

const receipt = (blockTime: number) => ({ blockTime }) as Receipt;
const newest = (blockTime: number) => ({ stampId: 'old', receipt: receipt(blockTime) });
const idempotent = (windowSeconds: number) => ({ idempotency: { windowSeconds } });

describe('given nothing of the identity', () => {
  it('a request makes a new stamp', () => {
    expect(decideStamp(idempotent(3600), { inFlight: undefined, newest: undefined }, 1000)).toEqual({ kind: 'new' });
  });
});

describe('given a stamp in flight', () => {
  const state = { inFlight: { stampId: 'flying' }, newest: newest(999) };
  it('an idempotent request joins it, whatever its window (I2)', () => {
    for (const window of [0, 1, 3600])
      expect(decideStamp(idempotent(window), state, 1000)).toEqual({ kind: 'join', stampId: 'flying' });
  });
  it('a request with idempotent=false makes a new stamp', () => {
    expect(decideStamp({ idempotency: null }, state, 1000)).toEqual({ kind: 'new' });
  });
});

describe('given a confirmed stamp', () => {
  it('it is repeated while now − block time < window', () => {
    const state = { inFlight: undefined, newest: newest(1000) };
    expect(decideStamp(idempotent(60), state, 1059)).toEqual({ kind: 'repeat', ...newest(1000) });
    expect(decideStamp(idempotent(60), state, 1060)).toEqual({ kind: 'new' });
  });
  it('a zero window holds none', () => {
    expect(decideStamp(idempotent(0), { inFlight: undefined, newest: newest(1000) }, 1000)).toEqual({ kind: 'new' });
  });
  it('a block whose time is ahead of our clock is inside any window but zero', () => {
    const state = { inFlight: undefined, newest: newest(1005) };
    expect(decideStamp(idempotent(1), state, 1000).kind).toBe('repeat');
    expect(decideStamp(idempotent(0), state, 1000).kind).toBe('new');
  });
});
