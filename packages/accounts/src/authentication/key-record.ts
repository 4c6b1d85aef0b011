import type { Hex } from '@indelible/identifiers';
import type { Scope } from '../keys/scopes.ts';

/** Whom a key speaks for, and what it may do. `account` is lower-case. */
export type AuthenticatedKey = {
  readonly account: Hex;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** The account's own: each of its keys has this allowance; left out, the service's standard one. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
};

export type AuthenticationFault = {
  /** `disabled`: its account is, with all its keys. */
  readonly fault: 'malformed' | 'unknown' | 'expired' | 'revoked' | 'disabled';
};

/** What Postgres knew of a key; instants in ms since 1970. */
export type KeyRecord = {
  readonly key: AuthenticatedKey;
  readonly expiresAt: number | undefined;
  readonly revoked: boolean;
  /** Whether its account is. */
  readonly disabled: boolean;
};

/** Whether a key may be used at `now` (ms since 1970); no record: nobody has such a key. */
export function judgeKey(record: KeyRecord | undefined, now: number): AuthenticatedKey | AuthenticationFault {
  if (record === undefined) return { fault: 'unknown' };
  if (record.revoked) return { fault: 'revoked' };
  if (record.expiresAt !== undefined && record.expiresAt <= now) return { fault: 'expired' };
  if (record.disabled) return { fault: 'disabled' };
  return record.key;
}
