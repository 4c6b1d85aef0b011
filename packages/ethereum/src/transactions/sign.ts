import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1';
import type { Fees } from '../fees.ts';
import {
  headerLength,
  prepareItems,
  type RlpItem,
  type RlpItems,
  withoutLeadingZeros,
  writeHeader,
  writeItems,
} from './rlp.ts';

export type TransactionFields = {
  readonly chainId: number;
  readonly nonce: number;
  /** Null creates a contract. */
  readonly to: Hex | null;
  readonly data: Uint8Array | Hex;
  readonly gasLimit: bigint | number;
  /** Wei; none when not given. */
  readonly value?: bigint;
};
/** Fees in wei per gas. */
export type Eip1559Transaction = TransactionFields & {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};
/** Price in wei per gas. */
export type LegacyTransaction = TransactionFields & { readonly gasPrice: bigint };
export type SignedTransaction = { readonly rawTransaction: Hex; readonly hash: Hex };

/** Signs a digest of 32 bytes with a key that may be elsewhere: r‖s‖v, 65 bytes, low s, v 27 or 28. */
export type SignDigest = (digest: Hex) => Promise<Hex>;

/**
 * Signs a transaction of type 2 (EIP-1559) with an empty access list. Signing is deterministic (RFC 6979, low s):
 * the same fields and key give the same hash, so a stored transaction can be signed again.
 * @throws RangeError for an integer that is negative or not exact, TypeError for an address or a key of another shape
 */
export function signTransaction(tx: Eip1559Transaction, privateKey: Uint8Array): SignedTransaction {
  return signWithKey(unsignedEip1559(tx), privateKey);
}

/** Signs a transaction of type 0 with the chain id in its signature (EIP-155), for chains without EIP-1559. */
export function signLegacyTransaction(tx: LegacyTransaction, privateKey: Uint8Array): SignedTransaction {
  return signWithKey(unsignedLegacy(tx), privateKey);
}

/** Signs with the transaction type of the fees. */
export const signTransactionWithFees = (tx: TransactionFields, fees: Fees, privateKey: Uint8Array): SignedTransaction =>
  signWithKey(unsignedWithFees(tx, fees), privateKey);

/** As {@link signTransactionWithFees}, where another process has the key. */
export async function signTransactionBy(
  tx: TransactionFields,
  fees: Fees,
  signDigest: SignDigest,
): Promise<SignedTransaction> {
  const unsigned = unsignedWithFees(tx, fees);
  const signature = bytesOfHex(await signDigest(hexOfBytes(unsigned.digest)));
  const v = signature[64];
  if (signature.length !== 65 || (v !== 27 && v !== 28))
    throw new TypeError('a signature is not r, s and v of 65 bytes');
  return unsigned.complete(v - 27, signature.subarray(0, 64));
}

function unsignedWithFees(tx: TransactionFields, fees: Fees): Unsigned {
  switch (fees.kind) {
    case 'eip1559':
      return unsignedEip1559({ ...tx, ...fees });
    case 'legacy':
      return unsignedLegacy({ ...tx, ...fees });
  }
}

function unsignedEip1559(tx: Eip1559Transaction): Unsigned {
  const fields = prepareItems([
    tx.chainId,
    tx.nonce,
    tx.maxPriorityFeePerGas,
    tx.maxFeePerGas,
    tx.gasLimit,
    recipient(tx.to),
    tx.value ?? 0n,
    bytesOfData(tx.data),
  ]);
  return prepareToSign(2, fields, [[]], (recovery, r, s) => [[], recovery, r, s]);
}

function unsignedLegacy(tx: LegacyTransaction): Unsigned {
  const fields = prepareItems([
    tx.nonce,
    tx.gasPrice,
    tx.gasLimit,
    recipient(tx.to),
    tx.value ?? 0n,
    bytesOfData(tx.data),
  ]);
  const v = (recovery: number): bigint => BigInt(tx.chainId) * 2n + 35n + BigInt(recovery);
  return prepareToSign(undefined, fields, [tx.chainId, 0, 0], (recovery, r, s) => [v(recovery), r, s]);
}

/** The lower-case address of a secp256k1 private key of 32 bytes. @throws TypeError if invalid */
export function addressOfPrivateKey(privateKey: Uint8Array): Hex {
  // A key within the curve's order has a point: null, in its type, cannot occur here.
  const point = pointFromScalar(privateKey, false) as Uint8Array;
  return hexOfBytes(keccak256(point.subarray(1)).subarray(12));
}

function recipient(to: Hex | null): Uint8Array {
  if (to === null) return new Uint8Array(0);
  if (!/^0x[0-9a-fA-F]{40}$/.test(to)) throw new TypeError('a recipient is not an address');
  return bytesOfHex(to);
}

function bytesOfData(data: Uint8Array | Hex): Uint8Array {
  if (typeof data !== 'string') return data;
  const bytes = bytesOfHex(data);
  if (bytes.length * 2 + 2 !== data.length) throw new TypeError('the data is not hex');
  return bytes;
}

/** A transaction whose signature is missing. `complete` takes r‖s of 64 bytes. */
type Unsigned = {
  readonly digest: Uint8Array;
  complete(recoveryId: number, signature: Uint8Array): SignedTransaction;
};

type SignatureItems = (recovery: number, r: Uint8Array, s: Uint8Array) => readonly RlpItem[];
const longestHeader = 1 + 1 + 4;
/** v of a legacy transaction, r and s; or the access list, parity, r and s. */
const longestTail = 9 + 2 * 33;

/**
 * The fields, which may be 100 KB, are written once into one buffer with room before and after: for hashing with the
 * unsigned tail and its header, then over these with the signature and the header that fits it.
 */
function prepareToSign(
  type: number | undefined,
  fields: RlpItems,
  unsignedTail: readonly RlpItem[],
  signedTail: SignatureItems,
): Unsigned {
  const buffer = Buffer.allocUnsafe(longestHeader + fields.length + longestTail);
  const fieldsEnd = writeItems(buffer, longestHeader, fields);

  const encode = (tail: readonly RlpItem[]): Buffer => {
    const end = writeItems(buffer, fieldsEnd, prepareItems(tail));
    const payload = end - longestHeader;
    const start = longestHeader - headerLength(payload) - (type === undefined ? 0 : 1);
    writeHeader(buffer, type === undefined ? start : buffer.writeUInt8(type, start), payload, 0xc0);
    return buffer.subarray(start, end);
  };

  return {
    digest: keccak256(encode(unsignedTail)),
    complete(recoveryId, signature) {
      const r = withoutLeadingZeros(signature.subarray(0, 32));
      const s = withoutLeadingZeros(signature.subarray(32));
      const raw = encode(signedTail(recoveryId, r, s));
      return { rawTransaction: hexOfBytes(raw), hash: hexOfBytes(keccak256(raw)) };
    },
  };
}

function signWithKey({ digest, complete }: Unsigned, privateKey: Uint8Array): SignedTransaction {
  const { signature, recoveryId } = signRecoverable(digest, privateKey);
  return complete(recoveryId, signature);
}
