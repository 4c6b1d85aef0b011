import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * Signs a digest of 32 bytes: r‖s‖v, 65 bytes, s in the lower half, v 27 or 28, as `ecrecover` takes it.
 * Deterministic (RFC 6979). @throws TypeError when the digest has another length
 */
export function signDigestWithKey(privateKey: Uint8Array, digest: Hex): Hex {
  const message = bytesOfHex(digest);
  if (message.length !== 32 || digest.length !== 66) throw new TypeError('a digest has 32 bytes');
  const signature = secp256k1.sign(message, privateKey, { prehash: false, lowS: true, format: 'recovered' });
  const bytes = new Uint8Array(65);
  bytes.set(signature.subarray(1));
  bytes[64] = 27 + (signature[0] as number);
  return hexOfBytes(bytes);
}

/** The lower-case address of a private key of 32 bytes. */
export function addressOfKey(privateKey: Uint8Array): Hex {
  const point = secp256k1.getPublicKey(privateKey, false);
  return hexOfBytes(keccak_256(point.subarray(1)).subarray(12));
}
