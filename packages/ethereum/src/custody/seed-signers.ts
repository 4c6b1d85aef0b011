import { openBranch, type Secret } from './derive-keys.ts';
import { keepKey } from './keep-key.ts';
import { addressOfKey, signDigestWithKey } from './sign-digest.ts';
import type { SignerPort } from './signer-port.ts';
import { hashTypedData } from './typed-data.ts';

/**
 * Custody of owner keys derived from one secret: account `index` is `m/44'/60'/0'/0/index`.
 * @throws TypeError for a malformed secret
 */
export const createSeedCustody = (secret: Secret): SignerPort => createSeedSigner(secret, 0);

/**
 * Lanes derived from one secret: lane `index` is `m/44'/60'/1'/0/index`.
 * @throws TypeError for a malformed secret
 */
export const createSeedLanes = (secret: Secret): SignerPort => createSeedSigner(secret, 1);

/** Enough for the lanes of a service. */
const mostKept = 64;

/** Its methods reject with RangeError for an index out of range, TypeError for data that cannot be signed. */
function createSeedSigner(secret: Secret, account: number): SignerPort {
  const branch = openBranch(secret, account);
  // Deriving a key costs more than signing with it.
  const kept = new Map<number, Uint8Array>();
  const key = (index: number): Uint8Array => {
    const known = kept.get(index);
    if (known !== undefined) return known;
    const derived = branch(index);
    if (kept.size < mostKept) {
      kept.set(index, derived);
      keepKey(derived);
    }
    return derived;
  };
  return {
    address: async (index) => addressOfKey(key(index)),
    signDigest: async (index, digest) => signDigestWithKey(key(index), digest),
    signTypedData: async (index, typed) => signDigestWithKey(key(index), hashTypedData(typed)),
  };
}
