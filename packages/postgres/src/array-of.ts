type Items<Item> = readonly (Item | null | undefined)[];

/**
 * Arrays as parameters, in the binary form that Postgres receives (src/backend/utils/adt/arrayfuncs.c, `array_recv`): as
 * text every element would be quoted here and parsed there. The statement names the type: `$1::uuid[]` for `arrayOf.uuid`.
 * Null and undefined are null.
 * @throws TypeError of an element that its type cannot hold
 */
export const arrayOf = {
  boolean: (items: Items<boolean>): Buffer => encode(16, items, 1, (target, at, item) => target.writeUInt8(+item, at)),
  /** Bytes as hex after 0x. */
  bytea: (items: Items<string>): Buffer => encodeDigits(17, items, digitsOfHex),
  /** Like `bytea`, from buffers. */
  bytes: (items: Items<Buffer>): Buffer => encode(17, items, sizeOfBytes, (target, at, item) => item.copy(target, at)),
  bigint: (items: Items<number>): Buffer => encode(20, items, 8, writeInt64),
  smallint: (items: Items<number>): Buffer => encode(21, items, 2, (target, at, item) => target.writeInt16BE(item, at)),
  int: (items: Items<number>): Buffer => encode(23, items, 4, (target, at, item) => target.writeInt32BE(item, at)),
  text: (items: Items<string>): Buffer => encode(25, items, sizeOfText, writeText),
  /** JSON texts. */
  json: (items: Items<string>): Buffer => encode(114, items, sizeOfText, writeText),
  /** JSON texts. */
  jsonb: (items: Items<string>): Buffer => encode(3802, items, (item) => 1 + sizeOfText(item), writeJsonb),
  /** Times to the millisecond. */
  timestamptz: (items: Items<string | Date>): Buffer => encode(1184, items, 8, writeTime),
  uuid: (items: Items<string>): Buffer => encodeDigits(2950, items, digitsOfUuid),
};

const nullLength = -1;
const sizeOfBytes = (item: Buffer): number => item.length;

function encode<Item>(
  elementType: number,
  items: Items<Item>,
  sizeOf: number | ((item: Item) => number),
  write: (target: Buffer, at: number, item: Item) => unknown,
): Buffer {
  const lengths = items.map((item) =>
    item === null || item === undefined ? nullLength : typeof sizeOf === 'number' ? sizeOf : sizeOf(item),
  );
  const target = Buffer.allocUnsafe(
    headerSize + lengths.reduce((sum, length) => sum + lengthSize + Math.max(length, 0), 0),
  );
  let at = headerSize;
  for (let i = 0; i < items.length; i++) {
    const length = lengths[i] as number;
    target.writeInt32BE(length, at);
    at += lengthSize;
    if (length === nullLength) continue;
    write(target, at, items[i] as Item);
    at += length;
  }
  return withHeader(target, elementType, items.length, lengths.includes(nullLength));
}

/** For elements in hexadecimal digits: all are decoded at once. */
function encodeDigits(elementType: number, items: Items<string>, digitsOf: (item: string) => string): Buffer {
  let digits = '0'.repeat(2 * headerSize);
  let hasNulls = false;
  for (const item of items) {
    if (item === null || item === undefined) {
      digits += 'ffffffff';
      hasNulls = true;
    } else digits += digitsOf(item);
  }
  const target = Buffer.from(digits, 'hex');
  if (target.length * 2 !== digits.length) throw new TypeError('an element is not of hexadecimal digits');
  return withHeader(target, elementType, items.length, hasNulls);
}

const lengthSize = 4;
/** Dimensions, flags, element type; then length and lower bound of the one dimension. */
const headerSize = 20;

function withHeader(target: Buffer, elementType: number, length: number, hasNulls: boolean): Buffer {
  const dimensions = length === 0 ? 0 : 1;
  target.writeInt32BE(dimensions, 0);
  target.writeInt32BE(hasNulls ? 1 : 0, 4);
  target.writeInt32BE(elementType, 8);
  if (dimensions === 0) return target.subarray(0, 12);
  target.writeInt32BE(length, 12);
  const lowerBound = 1;
  target.writeInt32BE(lowerBound, 16);
  return target;
}

function digitsOfUuid(item: string): string {
  if (item.length !== 36) throw new TypeError(`no UUID: ${item}`);
  const digits = item.slice(0, 8) + item.slice(9, 13) + item.slice(14, 18) + item.slice(19, 23) + item.slice(24);
  return `00000010${digits}`;
}

function digitsOfHex(item: string): string {
  if (!item.startsWith('0x')) throw new TypeError(`no hex after 0x: ${item}`);
  return (lengths.get(item.length) ?? lengthDigits((item.length - 2) / 2)) + item.slice(2);
}

const lengthDigits = (bytes: number): string => bytes.toString(16).padStart(8, '0');
/** Of CIDs and addresses, by the length of their text. */
const lengths = new Map([32, 20].map((bytes) => [2 + 2 * bytes, lengthDigits(bytes)]));

const sizeOfText = (text: string): number => Buffer.byteLength(text, 'utf8');

const writeText = (target: Buffer, at: number, text: string): unknown => target.write(text, at, 'utf8');

function writeJsonb(target: Buffer, at: number, text: string): void {
  const formatVersion = 1;
  target.writeUInt8(formatVersion, at);
  writeText(target, at + 1, text);
}

function writeInt64(target: Buffer, at: number, item: number): void {
  if (!Number.isSafeInteger(item)) throw new TypeError(`no whole number: ${item}`);
  target.writeInt32BE(Math.floor(item / 2 ** 32), at);
  target.writeUInt32BE(item >>> 0, at + 4);
}

/** Midnight of 2000-01-01 in UTC, from which Postgres counts microseconds. */
const postgresEpochMs = 946_684_800_000;

function writeTime(target: Buffer, at: number, item: string | Date): void {
  writeInt64(target, at, ((typeof item === 'string' ? Date.parse(item) : item.getTime()) - postgresEpochMs) * 1000);
}
