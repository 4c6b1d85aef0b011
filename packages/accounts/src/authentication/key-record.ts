import type { Hex } from '@indelible/identifiers';
import type { Scope } from '../keys/scopes.ts';

/** A key's account, and its rights. `account` is lower-case. */
export type AuthenticatedKey = {
  readonly account: Hex;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** The account's own limit, for each of its keys; default: the service's. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
};

export type AuthenticationFault = {
  /** `disabled`: the account, with all its keys. */
  readonly fault: 'malformed' | 'unknown' | 'expired' | 'revoked' | 'disabled';
};

/** A key as stored in Postgres; times in ms since 1970. */
export type KeyRecord = {
  readonly key: AuthenticatedKey;
  readonly expiresAt: number | undefined;
  readonly revoked: boolean;
  /** Whether its account is. */
  readonly disabled: boolean;
};

/** Whether a key may be used at `now` (ms since 1970); no record: unknown key. */
export function judgeKey(record: KeyRecord | undefined, now: number): AuthenticatedKey | AuthenticationFault {
  if (record === undefined) return { fault: 'unknown' };
  if (record.revoked) return { fault: 'revoked' };
  if (record.expiresAt !== undefined && record.expiresAt <= now) return { fault: 'expired' };
  if (record.disabled) return { fault: 'disabled' };
  return record.key;
}
