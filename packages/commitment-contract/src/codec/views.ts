import { type Hex, isZeroCid } from '@indelible/identifiers';
import { functionSelectors } from '../generated/commitment-service.ts';
import { addressOf, boolOf, uintOf, wordOf } from './answers.ts';
import { addressWord, bytes32Word } from './words.ts';

// Encoders give call data for eth_call and throw a RangeError for a value that does not fit its type. Decoders read its
// answer and throw a MalformedAnswerError for another shape; `0x` is such a one: there is no contract at that address.

const zeroAddress = `0x${'0'.repeat(40)}`;

/** Whether the user granted the delegate (lanes are not resolved). */
export function encodeDelegatedAuthority(call: { readonly user: Hex; readonly delegate: Hex }): Hex {
  return `${functionSelectors.delegatedAuthority}${addressWord(call.user)}${addressWord(call.delegate)}`;
}

/** True when granted and not revoked. */
export function decodeDelegatedAuthority(answer: Hex): boolean {
  return boolOf(answer);
}

/** The operator for which an address writes. */
export function encodeLaneOperator(call: { readonly lane: Hex }): Hex {
  return `${functionSelectors.laneOperator}${addressWord(call.lane)}`;
}

/** The operator's address, lower-case; undefined if not a lane. */
export function decodeLaneOperator(answer: Hex): Hex | undefined {
  const operator = addressOf(answer);
  return operator === zeroAddress ? undefined : operator;
}

/** The rolling hash of a set's objects. */
export function encodeSetHead(call: { readonly user: Hex; readonly setCid: Hex }): Hex {
  return `${functionSelectors.setHead}${addressWord(call.user)}${bytes32Word(call.setCid)}`;
}

/** The head; undefined when the set is not committed. */
export function decodeSetHead(answer: Hex): Hex | undefined {
  const head = wordOf(answer);
  return isZeroCid(head) ? undefined : head;
}

/** Whether a set is committed. */
export function encodeUserSetCommitments(call: { readonly user: Hex; readonly setCid: Hex }): Hex {
  return `${functionSelectors.userSetCommitments}${addressWord(call.user)}${bytes32Word(call.setCid)}`;
}

/** True when the set is committed. */
export function decodeUserSetCommitments(answer: Hex): boolean {
  return boolOf(answer);
}

/** The nonce that the next signature of an address must carry. */
export function encodeNonces(call: { readonly user: Hex }): Hex {
  return `${functionSelectors.nonces}${addressWord(call.user)}`;
}

/** The nonce. */
export function decodeNonces(answer: Hex): bigint {
  return uintOf(answer);
}
