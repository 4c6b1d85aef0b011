import { receiptTime } from '@indelible/identifiers';

const pageBytes = 65_536;
/**
 * The longest item: a timestamp as sent with 512 characters, each escaped in six bytes; or a name as long as a line.
 */
const maxItemBytes = 16_384;

/** Response text, written into a page of bytes. `full` shows when it must be taken; later writes overwrite it. */
export function createAnswerPage() {
  const bytes = Buffer.allocUnsafeSlow(pageBytes);
  let length = 0;
  const clock = createClock();

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
    copy(from: Buffer): void {
      length += from.copy(bytes, length);
    },
    hex: (from: Buffer, start: number, end: number): void => ascii(from.toString('hex', start, end)),
    ascii,
    time: (seconds: number): void => ascii(clock(seconds)),
  };
}
export type AnswerPage = ReturnType<typeof createAnswerPage>;

const secondsOfDay = 86_400;

/** `receiptTime`, computing the day once for receipts of the same day, and all of it once for those of a block. */
function createClock(): (seconds: number) => string {
  let second = Number.NaN;
  let day = Number.NaN;
  let midnight = '';
  let text = '';
  return (seconds) => {
    if (seconds === second) return text;
    const sinceMidnight = seconds % secondsOfDay;
    if (seconds - sinceMidnight !== day) {
      day = seconds - sinceMidnight;
      midnight = receiptTime(day);
    }
    second = seconds;
    const hours = twoDigits[Math.floor(sinceMidnight / 3_600)];
    const minutes = twoDigits[Math.floor(sinceMidnight / 60) % 60];
    text = `${midnight.slice(0, -14)}${hours}:${minutes}:${twoDigits[sinceMidnight % 60]}${midnight.slice(-6)}`;
    return text;
  };
}

const twoDigits = Array.from({ length: 60 }, (_value, number) => String(number).padStart(2, '0'));
