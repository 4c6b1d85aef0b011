import { describe, expect, it } from '@jest/globals';
import { parseTimestamp } from './timestamp.ts';

describe('a timestamp', () => {
  it.each([
    ['2023-11-14T22:13:20Z', 1_700_000_000],
    ['2023-11-14T22:13:20+00:00', 1_700_000_000],
    ['2023-11-14 22:13:20+00:00', 1_700_000_000],
    ['2023-11-15T00:13:20+02:00', 1_700_000_000],
    ['2023-11-14 16:43:20-0530', 1_700_000_000],
    ['2023-11-14 22:13:20+00', 1_700_000_000],
    ['2023-11-14T22:13:20.999999999Z', 1_700_000_000],
    ['2023-11-14T22:13+00:00', 1_699_999_980],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:00:00-01:00', 0],
    ['9999-12-31T23:59:59Z', 253_402_300_799],
    ['2024-02-29T00:00:00Z', 1_709_164_800],
    ['2000-02-29T00:00:00Z', 951_782_400],
  ])('%s is an instant to the second, fractions cut', (text, seconds) => {
    expect(parseTimestamp(text)).toBe(seconds);
  });

  it.each([
    ['no offset', '2023-11-14T22:13:20'],
    ['a date alone', '2023-11-14'],
    ['epoch seconds', '1700000000'],
    ['epoch milliseconds', '1700000000000'],
    ['nothing', ''],
    ['a month that is none', '2023-13-14T22:13:20Z'],
    ['a day that is none', '2023-02-29T22:13:20Z'],
    ['a leap day of 1900', '1900-02-29T00:00:00Z'],
    ['an hour that is none', '2023-11-14T24:00:00Z'],
    ['a leap second', '2023-11-14T22:13:60Z'],
    ['an offset that is none', '2023-11-14T22:13:20+24:00'],
    ['an offset with 60 minutes', '2023-11-14T22:13:20+01:60'],
    ['white space around it', ' 2023-11-14T22:13:20Z'],
    ['a line break after it', '2023-11-14T22:13:20Z\n'],
    ['the year 1969', '1969-12-31T23:59:59Z'],
    ['1969 by its offset', '1970-01-01T00:59:59+01:00'],
    ['10000 by its offset', '9999-12-31T23:59:59-00:01'],
    ['the year 0070', '0070-01-01T00:00:00Z'],
    ['the year 275760', '+275760-09-13T00:00:00Z'],
    ['five digits of a year', '12023-11-14T22:13:20Z'],
    ['words', 'yesterday'],
    ['HTTP style', 'Tue, 14 Nov 2023 22:13:20 GMT'],
    ['other digits', '２０２３-11-14T22:13:20Z'],
    ['a fraction without end', `2023-11-14T22:13:20.${'9'.repeat(100_000)}Z`],
  ])('with %s is none', (_what, text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('of any instant is read as Date writes it', () => {
    // A step that is prime to days and years meets every month, weekday and time of day.
    for (let seconds = 0; seconds <= 253_402_300_799; seconds += 50_000_017)
      expect(parseTimestamp(new Date(seconds * 1_000).toISOString())).toBe(seconds);
  });
});
