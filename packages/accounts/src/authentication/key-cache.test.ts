import { describe, expect, it } from '@jest/globals';
import { createKeyCache } from './key-cache.ts';
import { judgeKey, type KeyRecord } from './key-record.ts';

const record: KeyRecord = {
  key: { account: '0x00', keyId: 'id', scopes: ['read'] },
  expiresAt: undefined,
  revoked: false,
  disabled: false,
};

describe('the cache of keys', () => {
  it('gives a reading until its time is over, counted from before the reading', () => {
    const cache = createKeyCache({ ttlMs: 2_000, maxEntries: 2 });
    cache.keep('a', record, 10_000);
    expect(cache.find('a', 10_000)).toMatchObject({ record });
    expect(cache.find('a', 11_999)).toMatchObject({ record });
    expect(cache.find('a', 12_000)).toBeUndefined();
  });

  it('gives nothing to a clock that was set back: a revoked key does not live longer by it', () => {
    const cache = createKeyCache({ ttlMs: 2_000, maxEntries: 2 });
    cache.keep('a', record, 10_000);
    expect(cache.find('a', 9_999)).toBeUndefined();
  });

  it('remembers unknown keys, too, and forgets the oldest beyond its room', () => {
    const cache = createKeyCache({ ttlMs: 2_000, maxEntries: 2 });
    for (const [i, name] of ['a', 'b', 'c'].entries()) cache.keep(name, undefined, i);
    expect(cache.find('a', 3)).toBeUndefined();
    expect(cache.find('b', 3)).toEqual({ record: undefined, readAt: 1 });
  });

  it('lets no flood of unknown keys drive out a key in use', () => {
    const cache = createKeyCache({ ttlMs: 2_000, maxEntries: 2 });
    cache.keep('used', record, 0);
    for (let i = 0; i < 100; i++) cache.keep(`unknown-${i}`, undefined, 1);
    expect(cache.find('used', 2)).toMatchObject({ record });
  });
});

describe('the judgement of a key', () => {
  it('is unknown without a record, revoked before expired, expired from its instant on, else disabled with its account', () => {
    expect(judgeKey(undefined, 0)).toEqual({ fault: 'unknown' });
    expect(judgeKey({ ...record, revoked: true, expiresAt: 1 }, 2)).toEqual({ fault: 'revoked' });
    expect(judgeKey({ ...record, expiresAt: 5 }, 5)).toEqual({ fault: 'expired' });
    expect(judgeKey({ ...record, disabled: true, expiresAt: 5 }, 5)).toEqual({ fault: 'expired' });
    expect(judgeKey({ ...record, disabled: true, expiresAt: 5 }, 4)).toEqual({ fault: 'disabled' });
    expect(judgeKey({ ...record, expiresAt: 5 }, 4)).toEqual(record.key);
  });
});
