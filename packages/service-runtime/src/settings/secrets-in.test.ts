import { describe, expect, it } from '@jest/globals';
import { secretsIn } from './secrets-in.ts';

describe('the secrets in a variable', () => {
  it.each([
    ['none', 'postgres://user:password@host', []],
    ['whole', 's3cret', ['s3cret']],
    ['whole', 'one:key, two:other', ['one:key', 'key', 'two:other', 'other']],
    ['whole', '-----BEGIN PRIVATE KEY-----\nMIIE\nAbcd\n-----END PRIVATE KEY-----', ['MIIE', 'Abcd']],
    ['credentials', 'postgres://user:s3cret@host/db?password=other', ['s3cret', 'other']],
    ['credentials', 'postgres://indelible:indelible@host/db', []],
    ['credentials', 'no URL, so anything', ['no URL, so anything']],
    ['path', 'https://one/v3/0123456789abcdef,https://u:hush@two/?key=k', ['0123456789abcdef', 'hush', 'k']],
  ] as const)('of secrecy %s in %j', (secrecy, text, expected) => {
    expect([...new Set(secretsIn(text, secrecy))].toSorted()).toEqual(
      [...new Set([...(secrecy === 'whole' && !text.startsWith('-') ? [text] : []), ...expected])].toSorted(),
    );
  });
});
