import { receiptTime } from '@indelible/identifiers';

const pageBytes = 65_536;
/** The longest item: a timestamp as sent of 512 characters, each an escape of six bytes; or a name of a line's length. */
const maxItemBytes = 16_384;

/**
 * Text of the answer, written into a page of bytes. `full` tells when it must be taken; what is written after that is
 * written over it.
 */
export function createAnswerPage() {
  const bytes = Buffer.allocUnsafeSlow(pageBytes);
  let length = 0;
  /** Block times repeat: a block's receipts share one. */
  let lastTime = -1;
  let lastTimeText = '';

  const hex = (from: Uint8Array, start: number, end: number): void => {
    for (let i = start; i < end; i++) {
      const byte = from[i] as number;
      bytes[length++] = highDigit[byte] as number;
      bytes[length++] = lowDigit[byte] as number;
    }
  };
  const ascii = (text: string): void => {
    length += bytes.write(text, length, 'latin1');
  };

  return {
    full: () => length > pageBytes - maxItemBytes,
    text(text: string): void {
      length += bytes.write(text, length, 'utf8');
    },
    take(): Buffer {
      const page = bytes.subarray(0, length);
      length = 0;
      return page;
    },
    hex,
    ascii,
    time(seconds: number): void {
      if (seconds !== lastTime) {
        lastTime = seconds;
        lastTimeText = receiptTime(seconds);
      }
      ascii(lastTimeText);
    },
  };
}
export type AnswerPage = ReturnType<typeof createAnswerPage>;

const digits = Buffer.from('0123456789abcdef');
const highDigit = Uint8Array.from({ length: 256 }, (_value, byte) => digits[byte >> 4] as number);
const lowDigit = Uint8Array.from({ length: 256 }, (_value, byte) => digits[byte & 0x0f] as number);
