import { describe, expect, it } from '@jest/globals';
import { parseAccount, parseInstant, parsePlace, parseScopeList, parseSeconds } from './parse-options.ts';

describe('options', () => {
  it('take an instant in ISO 8601: a date alone is its first moment in UTC', () => {
    expect(parseInstant('2030-01-31')).toEqual(new Date('2030-01-31T00:00:00Z'));
    expect(parseInstant('2030-01-31T12:00+02:00')).toEqual(new Date('2030-01-31T10:00:00Z'));
  });

  it.each([
    '',
    'tomorrow',
    '2030',
    '2030-02-30',
    '2030-02-30T10:00:00Z',
    '2030-01-31T12:00:00',
    '2030-01-31T25:00:00Z',
  ])('refuse the instant %j', (text) => {
    expect(() => parseInstant(text)).toThrow('It must be ISO 8601');
  });

  it('take an address in any case, and refuse a wrong checksum', () => {
    const lower = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
    expect(parseAccount('0x5FbDB2315678afecb367f032d93F642f64180aa3')).toBe(lower);
    expect(parseAccount(lower)).toBe(lower);
    expect(() => parseAccount('0x5fbDB2315678afecb367f032d93F642f64180aa3')).toThrow('It must be an address');
  });

  it('take scopes parted by commas', () => {
    expect(parseScopeList('stamp, read')).toEqual(['read', 'stamp']);
    expect(() => parseScopeList('stamp,')).toThrow('scopes: "" is not one of read, stamp');
  });

  it('take whole seconds of at most a day', () => {
    expect(parseSeconds('0')).toBe(0);
    for (const text of ['', '-1', '1.5', '86401', '1e3'])
      expect(() => parseSeconds(text)).toThrow('It must be an integer');
  });

  it('take the place of a letter as a partition and an offset', () => {
    expect(parsePlace('0:17')).toEqual({ partition: 0, offset: 17n });
    for (const wrong of ['', '17', '0:', ':1', '0:-1', '0:1:2', '0:1x'])
      expect(() => parsePlace(wrong)).toThrow('0:17');
  });
});
