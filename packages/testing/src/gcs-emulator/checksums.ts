import { createHash } from 'node:crypto';
import { invalid } from './refusal.ts';

/** Checksums as the API writes them: base64, CRC32C with the highest byte first. */
export type Checksums = { readonly crc32c: string; readonly md5Hash: string };

/** CRC-32C by the reflected polynomial of Castagnoli. Our own computation: the driver under test uses another. */
const table = Uint32Array.from({ length: 256 }, (_value, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

export function crc32cOf(content: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of content) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}

export function checksumsOf(content: Uint8Array): Checksums {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32cOf(content));
  return { crc32c: bytes.toString('base64'), md5Hash: createHash('md5').update(content).digest('base64') };
}

/** What a client claims in `X-Goog-Hash: crc32c=…,md5=…`. */
export function claimedBy(header: string | undefined): Partial<Checksums> {
  const claims = (header ?? '').split(',').map((claim) => claim.trim());
  const of = (name: string): string | undefined =>
    claims.find((claim) => claim.startsWith(`${name}=`))?.slice(name.length + 1);
  const [crc32c, md5Hash] = [of('crc32c'), of('md5')];
  return { ...(crc32c === undefined ? {} : { crc32c }), ...(md5Hash === undefined ? {} : { md5Hash }) };
}

/** Throws a 400 when a claim differs from the computed one: content changed in transit. */
export function checkClaims(computed: Checksums, ...claims: readonly Partial<Checksums>[]): void {
  for (const { crc32c, md5Hash } of claims) {
    if (crc32c !== undefined && crc32c !== computed.crc32c)
      throw invalid(`Provided CRC32C "${crc32c}" doesn't match calculated CRC32C "${computed.crc32c}".`);
    if (md5Hash !== undefined && md5Hash !== computed.md5Hash)
      throw invalid(`Provided MD5 hash "${md5Hash}" doesn't match calculated MD5 hash "${computed.md5Hash}".`);
  }
}
