import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encodeBase62, randomBase62 } from './base62.ts';

// An API key: `ind_`, 30 random digits in base62 (178 bits), and 6 digits of the CRC-32 of what precedes them. People
// and secret scanners recognize the prefix; the checksum refuses a mistyped key without a look-up. A key is as random
// as a hash, so a fast hash at rest is enough, and the time to find a key by its hash reveals nothing.

const prefix = 'ind_';
const randomDigits = 30;
const checksumDigits = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomDigits + checksumDigits}}$`);

/** A new key; its text is shown once and kept nowhere. */
export function createApiKey(): string {
  const body = prefix + randomBase62(randomDigits);
  return body + checksumOf(body);
}

/** Whether the text has the form of a key: prefix, alphabet, length and checksum. It may be unknown. */
export const hasApiKeyShape = (text: string): boolean =>
  shape.test(text) && checksumOf(text.slice(0, -checksumDigits)) === text.slice(-checksumDigits);

/** The SHA-256 of the whole key, the only form in which it is kept. */
export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** The beginning of a key, for people to tell their keys apart; leaves 154 bits unknown. */
export const hintOfApiKey = (key: string): string => `${key.slice(0, prefix.length + 4)}…`;

const checksumOf = (body: string): string => encodeBase62(crc32(body), checksumDigits);
