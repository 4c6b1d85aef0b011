import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1';

/**
 * Signs a digest of 32 bytes: r‖s‖v, 65 bytes, s in the lower half, v 27 or 28, as `ecrecover` takes it.
 * Deterministic (RFC 6979). @throws TypeError when the digest has another length
 */
export function signDigestWithKey(privateKey: Uint8Array, digest: Hex): Hex {
  const { signature, recoveryId } = signRecoverable(bytesOfDigest(digest), privateKey);
  return recoverableSignature(signature, recoveryId);
}

/** @throws TypeError when it has another length than 32 bytes */
export function bytesOfDigest(digest: Hex): Uint8Array {
  const bytes = bytesOfHex(digest);
  if (bytes.length !== 32 || digest.length !== 66) throw new TypeError('a digest has 32 bytes');
  return bytes;
}

/** The form in which a `SignerPort` returns signatures. */
export function recoverableSignature(signature: Uint8Array, recoveryId: number): Hex {
  const bytes = new Uint8Array(65);
  bytes.set(signature);
  bytes[64] = 27 + recoveryId;
  return hexOfBytes(bytes);
}

/** The lower-case address of a private key of 32 bytes. */
export const addressOfKey = (privateKey: Uint8Array): Hex =>
  // A key within the curve's order has a point: null, in its type, cannot occur here.
  addressOfPoint(pointFromScalar(privateKey, false) as Uint8Array);

/** The lower-case address of an uncompressed public key of 65 bytes. */
export const addressOfPoint = (point: Uint8Array): Hex => hexOfBytes(keccak256(point.subarray(1)).subarray(12));
