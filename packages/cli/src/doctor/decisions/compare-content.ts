/** What is recorded of a stored file. */
export type RecordedContent = { readonly size: number; readonly crc32c: number; readonly objectCid: string | null };

/** What its path holds; without a checksum when it has another size. */
export type HeldContent = { readonly size: number; readonly crc32c?: number; readonly sha3?: string | undefined };

/** How a stored file differs from its record; undefined if it does not. */
export function faultOfContent(recorded: RecordedContent, held: HeldContent | undefined): string | undefined {
  if (held === undefined) return 'is not in the blob store';
  if (held.size !== recorded.size) return `has ${held.size} bytes in the blob store instead of ${recorded.size}`;
  if (held.crc32c !== recorded.crc32c)
    return `has CRC32C ${checksum(held.crc32c)} in the blob store instead of ${checksum(recorded.crc32c)}`;
  if (held.sha3 !== undefined && held.sha3 !== recorded.objectCid)
    return `has SHA3-256 ${held.sha3} in the blob store, and was stamped as ${recorded.objectCid ?? 'nothing known'}`;
  return undefined;
}

const checksum = (value: number | undefined): string => (value ?? 0).toString(16).padStart(8, '0');
