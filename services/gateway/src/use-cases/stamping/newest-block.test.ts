import type { Hex } from '@indelible/identifiers';
import type { Redis } from '@indelible/redis';
import { eventually } from '@indelible/testing';
import { describe, expect, it } from '@jest/globals';
import { createNewestBlocks } from './newest-block.ts';

const ada: Hex = `0x${'aa'.repeat(20)}`;
/** Without a hint, the chain's. */
const head = 9;

/** A Redis that refuses this many writes, like one that is full or changes its leader, but answers reads. */
function refusing(refusals: number) {
  const hints = new Map<string, string>();
  let left = refusals;
  const redis = {
    async eval(_script: string, _keys: number, key: string, block: number) {
      if (left-- > 0) throw new Error('READONLY');
      hints.set(key, String(block));
    },
    get: async (key: string) => hints.get(key) ?? null,
  };
  return { redis: redis as unknown as Redis, keyPrefix: '', chainId: 1, chainHead: async () => head };
}

describe('the block of the newest receipt', () => {
  it('reaches the other replicas though Redis refuses it at first, with no further receipt (I9)', async () => {
    const options = refusing(2);
    const [noting, other] = [createNewestBlocks(options), createNewestBlocks(options)];
    await noting.note(ada, 7);
    expect(await other.minBlockFor(ada)).toEqual({ chainId: 1, number: head });
    await eventually(async () => expect(await other.minBlockFor(ada)).toEqual({ chainId: 1, number: 7 }));
  });

  it('is not turned back by an older one that is written again', async () => {
    const options = refusing(1);
    const noting = createNewestBlocks(options);
    await noting.note(ada, 7);
    await noting.note(ada, 8);
    await eventually(async () => expect((await createNewestBlocks(options).minBlockFor(ada)).number).toBe(8));
    await noting.note(ada, 7);
    expect((await createNewestBlocks(options).minBlockFor(ada)).number).toBe(8);
  });
});
