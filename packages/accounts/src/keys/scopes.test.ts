import { describe, expect, it } from '@jest/globals';
import { parseScopes } from './scopes.ts';

describe('scopes of a new key', () => {
  it('are both when none are named', () => {
    expect(parseScopes(undefined)).toEqual(['read', 'stamp']);
  });

  it('are those named, once each: neither implies the other', () => {
    expect(parseScopes(['stamp'])).toEqual(['stamp']);
    expect(parseScopes(['read', 'read'])).toEqual(['read']);
    expect(parseScopes(['stamp', 'read'])).toEqual(['read', 'stamp']);
  });

  it('are refused by name when unknown, and when the list is empty', () => {
    expect(() => parseScopes(['read', 'admin'])).toThrow('scopes: "admin" is not one of read, stamp');
    expect(() => parseScopes([])).toThrow('scopes: give one or more of read, stamp');
  });
});
