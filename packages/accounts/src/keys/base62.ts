import { randomBytes } from 'node:crypto';

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from here on would favour the first digits: 248 is the last multiple of 62 in a byte. */
const fairBelow = 248;

/** Digits drawn evenly from a cryptographic source: 5.95 bits each. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length)) if (byte < fairBelow && text.length < length) text += base62[byte % 62];
  return text;
}

/** A non-negative integer, padded with zeros to `length` digits. */
export function encodeBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = `${base62[rest % 62]}${text}`;
  return text.padStart(length, '0');
}
