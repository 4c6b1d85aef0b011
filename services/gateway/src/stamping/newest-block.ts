import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import type { Redis } from '@indelible/redis';

/**
 * The block of each account's newest receipt, for reading one's writes (I9): what a client was told by one replica,
 * every replica's queries wait for. A hint only; whoever finds none asks the chain's head.
 */
export type NewestBlocks = {
  /** To be called before the receipt is answered. Never rejects. */
  note(account: Hex, blockNumber: number): Promise<void>;
  /** Undefined without a shared hint: another replica may have answered since, so what is known here is not enough. */
  of(account: Hex): Promise<number | undefined>;
};

const ttlSeconds = 600;
const maxAccounts = 10_000;
/** A hint lives longer than this, unless Redis lost it: then it is there again this soon. */
const toldAgainMs = 5_000;
/** A hint that Redis did not take is written again this soon, then ever less often, as long as it would live. */
const retryMs = { first: 100, most: 5_000 };

type Noted = { readonly blockNumber: number; readonly at: number; readonly told: Promise<void> };

const noteScript = `
  local known = tonumber(redis.call('get', KEYS[1]) or '-1')
  if known >= tonumber(ARGV[1]) then redis.call('expire', KEYS[1], ARGV[2])
  else redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
  return 1`;

export function createNewestBlocks(options: {
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly chainId: number;
}): NewestBlocks {
  const { redis } = options;
  const keyOf = (account: Hex): string => `${options.keyPrefix}newest-block:${options.chainId}:${account}`;
  /** Of this process, in order of use: it holds when Redis is away. */
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
  const tell = async (account: Hex, blockNumber: number): Promise<void> => {
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
      // All of an account's receipts of one block are told with the first.
      if (known !== undefined && known.blockNumber >= blockNumber && now - known.at < toldAgainMs) return known.told;
      const newest = Math.max(known?.blockNumber ?? 0, blockNumber);
      const told = tell(account, newest);
      own.delete(account);
      own.set(account, { blockNumber: newest, at: now, told });
      if (own.size > maxAccounts) own.delete(own.keys().next().value as Hex);
      await told;
    },
    async of(account) {
      const hint = await redis.get(keyOf(account)).catch(() => null);
      return hint === null ? undefined : Math.max(Number(hint), own.get(account)?.blockNumber ?? 0);
    },
  };
}
