import { type Hex, newId } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import type { StampView } from '../../decisions/stamp-view.ts';
import type { Call } from '../edge/call.ts';
import { getStampRoute } from './get-stamp.ts';

const account: Hex = `0x${'aa'.repeat(20)}`;
const viewOf = (id: string): StampView => ({
  ...{ id, status: 'confirmed', requestedAt: new Date(0), receipt: null, refusal: null },
  ...{
    objectCid: `0x${'bb'.repeat(32)}`,
    setCid: `0x${'00'.repeat(32)}`,
    fileName: null,
    filePath: null,
    fileFault: null,
  },
});

/**
 * Stamping knows the stamp from the given look-up on; each takes a second of the clock, and everything published
 * `behindMs` before it is decided.
 */
function getStamp(
  id: string,
  options: {
    readonly knownAt?: number;
    readonly isOthers?: boolean;
    readonly age?: number;
    readonly behindMs?: number;
    readonly gone?: AbortSignal;
    readonly looked?: AbortSignal[];
  },
) {
  let looks = 0;
  const began = Date.now() + (options.age ?? 0);
  const now = (): number => began + looks * 1_000;
  const route = getStampRoute({
    findStamps: async (_account, ids, gone) => {
      options.looked?.push(gone);
      const isKnown = ++looks >= (options.knownAt ?? Number.POSITIVE_INFINITY);
      return {
        stamps: new Map(isKnown ? ids.map((one) => [one, viewOf(one)]) : []),
        others: new Set(options.isOthers === true ? ids : []),
      };
    },
    handledUntil: () => now() - (options.behindMs ?? 1_000),
    waitLimitMs: 25_000,
    now,
  });
  return route({ account, params: { id }, gone: options.gone ?? new AbortController().signal } as unknown as Call);
}

const ofKey = '0198f2c4-7b1e-8c3a-9d52-6e0f8a1b2c3d';

describe('the status of a stamp', () => {
  it('is waited for while its request may be undecided (I6)', async () => {
    const id = newId();
    expect(await getStamp(id, { knownAt: 2 })).toMatchObject({ status: 200, body: { id } });
  });

  it('is looked up only while its client waits (I12)', async () => {
    const gone = AbortSignal.abort();
    const looked: AbortSignal[] = [];
    await expect(getStamp(newId(), { gone, looked })).rejects.toMatchObject({ status: 503 });
    expect(looked).toHaveLength(1);
    expect(looked[0]).toBe(gone);
  });

  it.each<[string, string, Parameters<typeof getStamp>[1]]>([
    ['a moment after it was accepted', newId(), {}],
    ['hours after it was accepted, while stamping is behind', newId(), { age: 7_200_000, behindMs: 8_000_000 }],
    ['under a key, while stamping is behind', ofKey, { behindMs: 60_000 }],
  ])('is a 503, and no 404, when it is not decided in time: %s (I6)', async (_, id, options) => {
    await expect(getStamp(id, options)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  });

  it.each<[string, string, Parameters<typeof getStamp>[1]]>([
    ['an id whose time is decided', newId(), { age: 7_200_000 }],
    ['an id of the future', newId(), { age: -7_200_000 }],
    ["an id that is another account's", newId(), { isOthers: true }],
    ['an id of a key, when stamping is not behind', ofKey, {}],
    ['an id of another kind', '0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d', {}],
  ])('is a 404 at once for %s', async (_, id, options) => {
    await expect(getStamp(id, options)).rejects.toMatchObject({ status: 404, message: 'stamp not found' });
  });
});
