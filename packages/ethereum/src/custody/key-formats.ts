import { recover } from 'tiny-secp256k1';

/** SubjectPublicKeyInfo of a key on secp256k1, up to the 65 bytes of its point. */
const spkiOfSecp256k1 = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The uncompressed point of a public key in DER; undefined when it is none on secp256k1. */
export function pointOfSpki(der: Uint8Array): Uint8Array | undefined {
  const head = der.subarray(0, spkiOfSecp256k1.length);
  const point = der.subarray(spkiOfSecp256k1.length);
  return spkiOfSecp256k1.equals(head) && point.length === 65 && point[0] === 4 ? point : undefined;
}

/**
 * Converts a DER signature to r‖s of 64 bytes with the lower s, and finds the recovery id: a key management service
 * gives neither. Undefined if it is not a signature by this key of this digest.
 */
export function recoverableOfDer(
  der: Uint8Array,
  digest: Uint8Array,
  point: Uint8Array,
): { readonly signature: Uint8Array; readonly recoveryId: 0 | 1 } | undefined {
  const [r, s] = integersOfDer(der);
  if (r === undefined || s === undefined || !isScalar(r) || !isScalar(s)) return undefined;
  const low = s > curveOrder / 2n ? curveOrder - s : s;
  const signature = Buffer.from(word(r) + word(low), 'hex');
  const recoveryId = ([0, 1] as const).find((id) => {
    const recovered = recover(digest, signature, id, false);
    return recovered !== null && Buffer.compare(recovered, point) === 0;
  });
  return recoveryId === undefined ? undefined : { signature, recoveryId };
}

/** The two integers of a DER sequence; empty when the bytes are no such sequence. */
function integersOfDer(der: Uint8Array): readonly bigint[] {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return [];
  const integers: bigint[] = [];
  for (let at = 2; at < der.length; ) {
    const length = der[at + 1] ?? 0;
    const bytes = der.subarray(at + 2, at + 2 + length);
    if (der[at] !== 0x02 || length === 0 || length > 33 || bytes.length !== length) return [];
    integers.push(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
    at += 2 + length;
  }
  return integers.length === 2 ? integers : [];
}

const isScalar = (value: bigint): boolean => value > 0n && value < curveOrder;
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
