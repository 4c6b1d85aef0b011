const shape = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,30})?)?(?:Z|([+-])(\d\d)(?::?([0-5]\d))?)$/;
const secondsOfDay = 86_400;
/** 9999-12-31T23:59:59Z */
const last = 253_402_300_799;

/**
 * Reads an ISO 8601 date and time with an offset, separated by `T` or a space.
 * @returns epoch seconds, fractions cut; undefined when malformed, without an offset, no such date or time, or outside
 * the years 1970 to 9999 in UTC (docs/interface.md, Verification)
 */
export function parseTimestamp(text: string): number | undefined {
  const found = shape.exec(text);
  if (found === null) return undefined;
  const year = Number(found[1]);
  const month = Number(found[2]);
  const day = Number(found[3]);
  const hour = Number(found[4]);
  const minute = Number(found[5]);
  const second = Number(found[6] ?? 0);
  const offsetHours = Number(found[8] ?? 0);
  const offsetMinutes = Number(found[9] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * 60 * (found[7] === '-' ? -1 : 1);
  const days = daysSinceEpoch(year, month, day);
  const instant = days * secondsOfDay + hour * 3_600 + minute * 60 + second - offset;
  return instant >= 0 && instant <= last ? instant : undefined;
}

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysOf = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (lengths[month - 1] as number);

/** Proleptic Gregorian calendar. `Date.UTC` maps the years 0 to 99 to 1900 to 1999. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  return year < 1969 ? -1_000 : Date.UTC(year, month - 1, day) / (secondsOfDay * 1_000);
}
