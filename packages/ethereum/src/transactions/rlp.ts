/** An item of an RLP list here: bytes, an integer (written in its shortest big-endian form), or the empty list. */
export type RlpItem = Uint8Array | bigint | number | readonly [];

/** Items ready to be written, with the bytes they take. */
export type RlpItems = { readonly items: readonly Written[]; readonly length: number };
/** A bare item is its own encoding; any other has a header before it. */
type Written = { readonly bytes: Uint8Array; readonly bare: boolean };

const bytesOfInteger = (value: bigint | number): Uint8Array => {
  if (value < 0) throw new RangeError('RLP has no negative integers');
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError('an integer is not exact');
  const digits = value.toString(16);
  return Buffer.from(digits === '0' ? '' : digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
};

const prepare = (item: RlpItem): Written => {
  if (item instanceof Uint8Array) return { bytes: item, bare: item.length === 1 && (item[0] as number) < 0x80 };
  if (typeof item === 'object') return { bytes: new Uint8Array([0xc0]), bare: true };
  return prepare(bytesOfInteger(item));
};

/** @throws RangeError for an integer that is negative or not exact */
export function prepareItems(items: readonly RlpItem[]): RlpItems {
  const written = items.map(prepare);
  let length = 0;
  for (const { bytes, bare } of written) length += bytes.length + (bare ? 0 : headerLength(bytes.length));
  return { items: written, length };
}

/** Writes items one after the other and returns where they end. */
export function writeItems(target: Buffer, at: number, { items }: RlpItems): number {
  let end = at;
  for (const { bytes, bare } of items) {
    if (!bare) end = writeHeader(target, end, bytes.length, 0x80);
    target.set(bytes, end);
    end += bytes.length;
  }
  return end;
}

const byteLengthOf = (value: number): number => Math.ceil((32 - Math.clz32(value)) / 8);

/** The bytes a header takes before a payload of this length (below 4 GiB). */
export const headerLength = (payload: number): number => (payload < 56 ? 1 : 1 + byteLengthOf(payload));

/** Writes the header of a list (offset 0xc0) or of bytes (0x80) and returns where it ends. */
export function writeHeader(target: Buffer, at: number, payload: number, offset: 0x80 | 0xc0): number {
  if (payload < 56) return target.writeUInt8(offset + payload, at);
  const length = byteLengthOf(payload);
  target.writeUInt8(offset + 55 + length, at);
  return target.writeUIntBE(payload, at + 1, length);
}

/** A fixed-width integer in RLP's form. */
export function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return bytes.subarray(start);
}
