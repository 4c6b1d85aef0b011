import { describe, expect, it } from '@jest/globals';
import { maskEmail } from './account-settings.ts';

describe("another account's e-mail", () => {
  it.each([
    ['jane@example.com', 'j***@example.com'],
    ['j@example.com', 'j***@example.com'],
    ['"a@b"@example.com', '"***@example.com'],
    ['😀smile@example.com', '😀***@example.com'],
    ['nonsense', '***'],
  ])('%s shows as %s: its first character and its domain', (email, masked) => {
    expect(maskEmail(email)).toBe(masked);
  });
});
