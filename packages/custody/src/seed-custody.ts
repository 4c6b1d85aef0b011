import type { Hex } from '@indelible/identifiers';
import { openBranch, type Secret } from './derive-keys.ts';
import { addressOfKey, signDigestWithKey } from './sign-digest.ts';
import { hashTypedData, type TypedData } from './typed-data.ts';

/**
 * Signs for owner addresses, which are known by an index. The keys stay behind it: it may be a seed in this process,
 * a key management service or a remote signer.
 */
export interface SignerPort {
  /** The lower-case address of the index. */
  address(index: number): Promise<Hex>;
  /** r‖s‖v over 32 bytes, 65 bytes, low s, v 27 or 28. */
  signDigest(index: number, digest: Hex): Promise<Hex>;
  /** The signature of EIP-712 data, in the same form. */
  signTypedData(index: number, typed: TypedData): Promise<Hex>;
}

/**
 * Custody of owner keys derived from one secret: account `index` is `m/44'/60'/0'/0/index`.
 * Its methods reject with RangeError for an index out of range, TypeError for data that cannot be signed.
 * @throws TypeError for a malformed secret
 */
export function createSeedCustody(secret: Secret): SignerPort {
  const key = openBranch(secret, 0);
  return {
    address: async (index) => addressOfKey(key(index)),
    signDigest: async (index, digest) => signDigestWithKey(key(index), digest),
    signTypedData: async (index, typed) => signDigestWithKey(key(index), hashTypedData(typed)),
  };
}
