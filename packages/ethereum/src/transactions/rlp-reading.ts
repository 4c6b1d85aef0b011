/**
 * The items of an RLP list, as views of its bytes; for a nested list, its payload. It must fill the bytes exactly.
 * @throws TypeError for anything else
 */
export function readList(bytes: Uint8Array): readonly Uint8Array[] {
  const list = headerAt(bytes, 0);
  if (!list.isList || list.end !== bytes.length) throw new TypeError('the bytes are no RLP list');
  const items: Uint8Array[] = [];
  for (let at = list.start; at < list.end; ) {
    const item = headerAt(bytes, at);
    if (item.end > list.end) throw new TypeError('an RLP item ends beyond its list');
    items.push(bytes.subarray(item.start, item.end));
    at = item.end;
  }
  return items;
}

/** Where the payload of the item at this place begins and ends. */
function headerAt(bytes: Uint8Array, at: number): { start: number; end: number; isList: boolean } {
  const first = bytes[at];
  if (first === undefined) throw new TypeError('an RLP item is cut off');
  if (first < 0x80) return { start: at, end: at + 1, isList: false };
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  const lengthBytes = short < 56 ? 0 : short - 55;
  let length = short;
  if (lengthBytes > 0) {
    if (lengthBytes > 4 || at + 1 + lengthBytes > bytes.length) throw new TypeError('an RLP item is cut off');
    length = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUIntBE(at + 1, lengthBytes);
  }
  const start = at + 1 + lengthBytes;
  if (start + length > bytes.length) throw new TypeError('an RLP item is cut off');
  return { start, end: start + length, isList };
}
