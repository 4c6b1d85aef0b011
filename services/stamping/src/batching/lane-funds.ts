import { getBalance, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import { noteFunds } from './lane-lease.ts';

export type LaneFunds = {
  /** Whether the lane may sign something new; the balance is asked for anew when it was long ago, or in doubt. */
  suffice(signal: AbortSignal): Promise<boolean>;
  /** A node said that the lane cannot pay: the next answer is a fresh one. */
  doubt(): void;
};

/**
 * Watches a lane's balance. Below the reserve the lane takes nothing new: what is signed already needs the rest, for
 * replacements above all. A lane that was topped up goes on by itself.
 */
export function createLaneFunds(options: {
  readonly rpc: Rpc;
  readonly database: Database;
  readonly lane: Hex;
  readonly reserveWei: bigint;
  readonly maxAgeMs: number;
  readonly onBalance: (lane: Hex, wei: bigint, low: boolean) => void;
  readonly logger: Logger;
  readonly now: () => number;
}): LaneFunds {
  const { lane, reserveWei } = options;
  let known: { at: number; low: boolean } | undefined;

  return {
    async suffice(signal) {
      if (known !== undefined && options.now() - known.at < options.maxAgeMs) return !known.low;
      const balance = await getBalance(options.rpc, lane, 'latest', { signal });
      const low = balance < reserveWei;
      await noteFunds(options.database, lane, low);
      options.onBalance(lane, balance, low);
      if (low && known?.low !== true)
        options.logger.error(
          { lane, balanceWei: balance.toString(), reserveWei: reserveWei.toString() },
          'a lane is short of funds and takes nothing new: send funds to its address',
        );
      if (!low && known?.low === true) options.logger.info({ lane }, 'a lane has funds again');
      known = { at: options.now(), low };
      return !low;
    },
    doubt() {
      known = known === undefined ? undefined : { ...known, at: Number.NEGATIVE_INFINITY };
    },
  };
}
