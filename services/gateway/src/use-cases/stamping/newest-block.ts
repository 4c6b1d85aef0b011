import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import type { Redis } from '@indelible/redis';
import { setNewest } from '@indelible/service-runtime';
import type { ChainHead } from '../../neighbours/chain-head.ts';
import type { MinBlock } from '../../neighbours/verification.ts';

/**
 * The block of each account's newest receipt, for reading one's writes (I9): queries on every replica wait for what one
 * replica returned. Only a hint; without one, the chain's head is queried.
 */
export type NewestBlocks = {
  /** Call before the receipt is returned. Never rejects. */
  note(account: Hex, blockNumber: number): Promise<void>;
  /**
   * The block that a response to the account must include. The chain's head without a shared hint: another replica may have returned a
   * newer receipt. @throws UnavailableError when the indexer, too, does not answer
   */
  minBlockFor(account: Hex): Promise<MinBlock>;
};

const ttlSeconds = 600;
const maxAccounts = 10_000;
/** A hint is written again after this time, in case Redis lost it. */
const rewriteMs = 5_000;
/** Pauses before a hint that Redis did not accept is written again, until it would have expired. */
const retryMs = { first: 100, most: 5_000 };

type Noted = { readonly blockNumber: number; readonly at: number; readonly written: Promise<void> };

const noteScript = `
  local known = tonumber(redis.call('get', KEYS[1]) or '-1')
  if known >= tonumber(ARGV[1]) then redis.call('expire', KEYS[1], ARGV[2])
  else redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
  return 1`;

export function createNewestBlocks(options: {
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly chainId: number;
  readonly chainHead: ChainHead;
}): NewestBlocks {
  const { redis, chainId } = options;
  const keyOf = (account: Hex): string => `${options.keyPrefix}newest-block:${chainId}:${account}`;
  /** Of this process, in order of use: for while Redis is unavailable. */
  const own = new Map<Hex, Noted>();
  const write = async (account: Hex, blockNumber: number): Promise<boolean> => {
    try {
      await redis.eval(noteScript, 1, keyOf(account), blockNumber, ttlSeconds);
      return true;
    } catch {
      return false;
    }
  };
  /** The first attempt is awaited; others follow in the background, until one succeeds or a newer block is noted. */
  const share = async (account: Hex, blockNumber: number): Promise<void> => {
    if (await write(account, blockNumber)) return;
    const until = performance.now() + ttlSeconds * 1_000;
    const again = async (pause: number): Promise<void> => {
      await delay(pause, undefined, { ref: false });
      if (performance.now() > until || own.get(account)?.blockNumber !== blockNumber) return;
      if (!(await write(account, blockNumber))) await again(Math.min(2 * pause, retryMs.most));
    };
    void again(retryMs.first);
  };
  return {
    async note(account, blockNumber) {
      const known = own.get(account);
      const now = performance.now();
      // An account's receipts in one block share one write.
      if (known !== undefined && known.blockNumber >= blockNumber && now - known.at < rewriteMs) return known.written;
      const newest = Math.max(known?.blockNumber ?? 0, blockNumber);
      const written = share(account, newest);
      setNewest(own, account, { blockNumber: newest, at: now, written }, maxAccounts);
      await written;
    },
    async minBlockFor(account) {
      const hint = await redis.get(keyOf(account)).catch(() => null);
      const number =
        hint === null ? await options.chainHead() : Math.max(Number(hint), own.get(account)?.blockNumber ?? 0);
      return { chainId, number };
    },
  };
}
