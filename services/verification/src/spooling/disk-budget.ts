import type { Hex } from '@indelible/identifiers';

/** Bytes of temporary files, in total and per account: anything over either bound is refused. */
export type DiskBudget = {
  /** @returns false, and reserves nothing, when over a bound */
  reserve(account: Hex, bytes: number): boolean;
  release(account: Hex, bytes: number): void;
  /** Bytes reserved now. */
  used(): number;
};

/** An account gets at most this fraction, so that none uses up the others' room. */
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
