import type { Repetitions } from './repetitions.ts';

/** Bytes of a CID, and of its hex digits. */
const cidBytes = 32;
/** A row of four fields without the text: the count, and a length with each of position, CID, instant, text. */
const fixedRowBytes = 2 + (4 + 4) + (4 + cidBytes) + (4 + 8) + 4;
const firstBytes = 16_384;

/**
 * Rows of `submitted (position, cid, instant, sent)` in COPY's binary format. The next rows reuse its memory, so use
 * what `rows` returned before adding more.
 */
export function createSubmittedRows() {
  let bytes: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;
  let count = 0;

  function reserve(more: number): void {
    if (length + more <= bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * Math.max(bytes.length, more));
    bytes.copy(grown, 0, 0, length);
    bytes = grown;
  }

  /** All but the CID, whose place it returns, and the text. */
  function begin(position: number, instant: number, textBytes: number): number {
    reserve(fixedRowBytes + textBytes);
    length = bytes.writeInt16BE(4, length);
    length = bytes.writeInt32BE(4, length);
    length = bytes.writeInt32BE(position, length);
    length = bytes.writeInt32BE(cidBytes, length);
    const cidAt = length;
    length = bytes.writeInt32BE(8, length + cidBytes);
    length = bytes.writeInt32BE(Math.floor(instant / 2 ** 32), length);
    length = bytes.writeInt32BE(instant | 0, length);
    length = bytes.writeInt32BE(textBytes, length);
    count++;
    return cidAt;
  }

  return {
    count: () => count,
    size: () => length,
    /** @param cid 64 lower-case hex digits */
    add(position: number, cid: string, instant: number, sent: string): void {
      const textBytes = Buffer.byteLength(sent);
      // Separate statement: `begin` may replace `bytes` with larger memory.
      const at = begin(position, instant, textBytes);
      bytes.write(cid, at, cidBytes, 'hex');
      length += bytes.write(sent, length, textBytes, 'utf8');
    },
    /**
     * Adds a row from the bytes of a line: 64 hex digits from `cidAt`, and an ASCII text.
     * @returns false, and adds nothing, when the digits are invalid
     */
    addFrom(line: Buffer, position: number, cidAt: number, instant: number, textAt: number, textEnd: number): boolean {
      const start = length;
      const at = begin(position, instant, textEnd - textAt);
      let faults = 0;
      for (let i = 0; i < cidBytes; i++) {
        const high = valueOfDigit[line[cidAt + 2 * i] as number] as number;
        const low = valueOfDigit[line[cidAt + 2 * i + 1] as number] as number;
        faults |= high | low;
        bytes[at + i] = (high << 4) | low;
      }
      if (faults > 0x0f) {
        length = start;
        count--;
        return false;
      }
      length += line.copy(bytes, length, textAt, textEnd);
      return true;
    },
    /** Without header and trailer. */
    rows: (): Buffer => bytes.subarray(0, length),
    clear(): void {
      length = 0;
      count = 0;
    },
  };
}
export type SubmittedRows = ReturnType<typeof createSubmittedRows>;

/** Of each byte: the value of a lower-case hex digit, or 0xff. */
const valueOfDigit = Uint8Array.from({ length: 256 }, (_value, byte) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(byte));
  return value === -1 ? 0xff : value;
});

/** Notes the pair of each row, from `start` to `end` of `bytes`. */
export function notePairs(repetitions: Repetitions, bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; ) {
    const position = at + 2 + 4;
    const cid = position + 4 + 4;
    const instant = cid + cidBytes + 4;
    const seconds = bytes.readInt32BE(instant) * 2 ** 32 + bytes.readUInt32BE(instant + 4);
    repetitions.note(bytes, cid, seconds, bytes.readInt32BE(position));
    const text = instant + 8;
    at = text + 4 + bytes.readInt32BE(text);
  }
}
