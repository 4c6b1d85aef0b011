import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { readList } from './rlp-reading.ts';
import type { TransactionFields } from './sign.ts';

/** Indexes of the fields that a replacement keeps, in transactions of type 2 and type 0 (EIP-155). */
const places = {
  eip1559: { length: 12, nonce: 1, gasLimit: 4, to: 5, value: 6, data: 7 },
  legacy: { length: 9, nonce: 0, gasLimit: 2, to: 3, value: 4, data: 5 },
} as const;

/**
 * The fields of a signed transaction without its fees: a replacement of stored bytes differs in nothing else (I3).
 * @throws TypeError when the bytes are no signed transaction
 */
export function fieldsOfSigned(raw: Hex): TransactionFields {
  const bytes = bytesOfHex(raw);
  const isTyped = (bytes[0] ?? 0) < 0xc0;
  if (isTyped && bytes[0] !== 2) throw new TypeError(`transactions of type ${bytes[0]} are not signed here`);
  const items = readList(isTyped ? bytes.subarray(1) : bytes);
  const at = isTyped ? places.eip1559 : places.legacy;
  const item = (index: number): Uint8Array => items[index] ?? new Uint8Array(0);
  if (items.length !== at.length) throw new TypeError('a signed transaction has another number of fields');
  const to = item(at.to);
  return {
    chainId: Number(isTyped ? integerOf(item(0)) : (integerOf(item(6)) - 35n) / 2n),
    nonce: Number(integerOf(item(at.nonce))),
    to: to.length === 0 ? null : hexOfBytes(to),
    data: item(at.data),
    gasLimit: integerOf(item(at.gasLimit)),
    value: integerOf(item(at.value)),
  };
}

const integerOf = (bytes: Uint8Array): bigint => (bytes.length === 0 ? 0n : BigInt(hexOfBytes(bytes)));
