/** A string of hex digits after `0x`. */
export type Hex = `0x${string}`;

const cidShape = /^0x[0-9a-fA-F]{64}$/;
const addressShape = /^0x[0-9a-fA-F]{40}$/;

/** The set CID of a stamp without a collection. */
export const zeroCid: Hex = `0x${'0'.repeat(64)}`;

/**
 * Reads a CID: `0x` and 64 hex digits, upper case accepted, returned lower-case (docs/interface.md, Identifiers).
 * Undefined when malformed; the zero CID is well-formed here and refused by {@link isZeroCid} where it must be.
 */
export function parseCid(text: string): Hex | undefined {
  return cidShape.test(text) ? (text.toLowerCase() as Hex) : undefined;
}

export const isZeroCid = (cid: string): boolean => cid === zeroCid;

/** True for `0x` and 40 hex digits in any case; ignores the checksum. */
export const hasAddressShape = (text: string): text is Hex => addressShape.test(text);

export const bytesOfHex = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');

export const hexOfBytes = (bytes: Uint8Array): Hex =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
