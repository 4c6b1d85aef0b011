import type { Hex } from '@indelible/identifiers';

/** Bytes of temporary files, of the process and of each account: what is over either bound is refused. */
export type DiskBudget = {
  /** @returns false, and nothing is reserved, when it would be over a bound */
  reserve(account: Hex, bytes: number): boolean;
  release(account: Hex, bytes: number): void;
  /** Bytes reserved now. */
  used(): number;
};

/** An account gets at most this part of all, so that no account uses up the room of the others. */
const accountShare = 4;

export function createDiskBudget(maxBytes: number): DiskBudget {
  const ofAccounts = new Map<Hex, number>();
  let used = 0;
  return {
    reserve(account, bytes) {
      const own = (ofAccounts.get(account) ?? 0) + bytes;
      if (used + bytes > maxBytes || own > maxBytes / accountShare) return false;
      used += bytes;
      ofAccounts.set(account, own);
      return true;
    },
    release(account, bytes) {
      used -= bytes;
      const own = (ofAccounts.get(account) ?? 0) - bytes;
      if (own > 0) ofAccounts.set(account, own);
      else ofAccounts.delete(account);
    },
    used: () => used,
  };
}
