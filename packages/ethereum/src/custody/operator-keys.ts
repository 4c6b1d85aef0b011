import type { Hex } from '@indelible/identifiers';
import { openBranch, type Secret } from './derive-keys.ts';
import { keepKey } from './keep-key.ts';
import { addressOfKey } from './sign-digest.ts';

export type OperatorKey = { readonly address: Hex; readonly privateKey: Uint8Array };

export type OperatorKeys = {
  /** Users grant it; it adds lanes. */
  readonly operator: OperatorKey;
  /** Sends batches: each lane has its own key, so that nonces advance in parallel. */
  lane(index: number): OperatorKey;
};

/**
 * The keys that pay and send: operator `m/44'/60'/0'/0/0`, lane i `m/44'/60'/1'/0/i`. Not from the owners' secret,
 * since they are stored where transactions are sent.
 * @throws TypeError for a malformed secret; `lane` throws RangeError for an index out of range
 */
export function createOperatorKeys(secret: Secret): OperatorKeys {
  const lanes = openBranch(secret, 1);
  return { operator: keyOf(openBranch(secret, 0)(0)), lane: (index) => keyOf(lanes(index)) };
}

function keyOf(privateKey: Uint8Array): OperatorKey {
  keepKey(privateKey);
  return { address: addressOfKey(privateKey), privateKey };
}
