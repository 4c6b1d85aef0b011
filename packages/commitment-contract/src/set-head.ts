import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';
import { addressWord, bytes32Word } from './codec/words.ts';

/** The head of a set without objects: keccak256(user, setCid), each a 32-byte word. */
export function firstSetHead(user: Hex, setCid: Hex): Hex {
  return hashPair(addressWord(user), bytes32Word(setCid));
}

/**
 * The head after one more object: keccak256(head, objectCid). Folded over a set's objects in log order it equals the
 * contract's setHead, which proves the list complete and in order.
 */
export function nextSetHead(head: Hex, objectCid: Hex): Hex {
  return hashPair(bytes32Word(head), bytes32Word(objectCid));
}

function hashPair(left: string, right: string): Hex {
  return hexOfBytes(keccak256(bytesOfHex(`0x${left}${right}`)));
}
