import { type Hex, newId } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import type { Call } from '../http/call.ts';
import type { StampView } from '../projections/stamps.ts';
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

/** The read model shows the stamp from the given look on; each look takes a second of its clock. */
function ask(id: string, options: { readonly shownAt?: number; readonly isKnown?: boolean; readonly age?: number }) {
  let looks = 0;
  const began = Date.now() + (options.age ?? 0);
  const route = getStampRoute({
    findStamps: async (_account, ids) =>
      new Map(++looks >= (options.shownAt ?? Number.POSITIVE_INFINITY) ? ids.map((one) => [one, viewOf(one)]) : []),
    knownStamps: async (ids) => new Set(options.isKnown === true ? ids : []),
    now: () => began + looks * 1_000,
  });
  return route({ account, params: { id }, gone: new AbortController().signal } as unknown as Call);
}

describe('the status of a stamp', () => {
  it('is waited for when its id is fresh: an answer may be faster than the read model (I9)', async () => {
    const id = newId();
    expect(await ask(id, { shownAt: 2 })).toMatchObject({ status: 200, body: { id } });
  });

  it('is a 503 when the read model does not show it in time', async () => {
    await expect(ask(newId(), {})).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  });

  it.each<[string, string, Parameters<typeof ask>[1]]>([
    ['an id that is no longer fresh', newId(), { age: 7_200_000 }],
    ['an id of the future', newId(), { age: -7_200_000 }],
    ["an id that is another account's", newId(), { isKnown: true }],
    ['an id without a time', '0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d', {}],
  ])('is a 404 at once for %s', async (_, id, options) => {
    await expect(ask(id, options)).rejects.toMatchObject({ status: 404, message: 'stamp not found' });
  });
});
