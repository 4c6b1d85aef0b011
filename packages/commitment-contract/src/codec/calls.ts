import type { Hex } from '@indelible/identifiers';
import { functionSelectors } from '../generated/commitment-service.ts';
import { addressWord, bytes32Word, bytesTail, uintWord } from './words.ts';

/** A grant or a revocation that its user signed (see grantTypedData, revokeTypedData). */
export interface SignedDelegation {
  readonly user: Hex;
  readonly delegate: Hex;
  readonly nonce: bigint | number;
  readonly signature: Hex;
}

// Each function gives call data as 0x hex, and throws a RangeError for a value that does not fit its type.

/** addUserSet: records a set for a user. */
export function encodeAddUserSet(call: { readonly user: Hex; readonly setCid: Hex }): Hex {
  return `${functionSelectors.addUserSet}${addressWord(call.user)}${bytes32Word(call.setCid)}`;
}

/** grant: lets the delegate write for the sender. */
export function encodeGrant(call: { readonly delegate: Hex }): Hex {
  return `${functionSelectors.grant}${addressWord(call.delegate)}`;
}

/** revoke: ends the delegate's authority over the sender. */
export function encodeRevoke(call: { readonly delegate: Hex }): Hex {
  return `${functionSelectors.revoke}${addressWord(call.delegate)}`;
}

/** grantBySignature: the user's signed grant, sent by anyone. */
export function encodeGrantBySignature(call: SignedDelegation): Hex {
  return `${functionSelectors.grantBySignature}${signedDelegation(call)}`;
}

/** revokeBySignature: the user's signed revocation, sent by anyone. */
export function encodeRevokeBySignature(call: SignedDelegation): Hex {
  return `${functionSelectors.revokeBySignature}${signedDelegation(call)}`;
}

/** addLane: makes the lane, whose consent the signature is (see laneTypedData), write for the sender. */
export function encodeAddLane(call: { readonly lane: Hex; readonly signature: Hex }): Hex {
  return `${functionSelectors.addLane}${addressWord(call.lane)}${uintWord(64)}${bytesTail(call.signature)}`;
}

/** removeLane: frees the lane; sent by its operator or by itself. */
export function encodeRemoveLane(call: { readonly lane: Hex }): Hex {
  return `${functionSelectors.removeLane}${addressWord(call.lane)}`;
}

/** The struct is inline (it has no dynamic part); the signature follows the four words of the head. */
function signedDelegation({ user, delegate, nonce, signature }: SignedDelegation): string {
  return addressWord(delegate) + uintWord(nonce) + addressWord(user) + uintWord(128) + bytesTail(signature);
}
