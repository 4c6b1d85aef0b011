import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { redactorOf } from './redactor.ts';

const password = `p/@ss w"\\&+%ü${randomBytes(6).toString('base64')}`;
const formsOf = (secret: string): string[] => {
  const url = new URL('postgres://host');
  url.password = secret;
  return [secret, encodeURIComponent(secret), url.password, new URLSearchParams({ a: secret }).toString().slice(2)];
};

describe('a redactor', () => {
  const redact = redactorOf([password]);

  it.each(formsOf(password))('removes a known secret as it is, and encoded for URLs: %s', (form) => {
    expect(redact(`before ${form} after`)).toBe('before [redacted] after');
    expect(redact(`before ${form.replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase())} after`)).toBe(
      'before [redacted] after',
    );
  });

  it('removes it from lines of JSON, which stay JSON', () => {
    for (const form of formsOf(password)) {
      const line = redact(JSON.stringify({ err: { message: `no entry for ${form}` }, [`key ${form}`]: [form] }));
      expect(JSON.parse(line)).toEqual({
        err: { message: 'no entry for [redacted]' },
        'key [redacted]': ['[redacted]'],
      });
    }
  });

  it('knows one that was given encoded, as in a URL', () => {
    const given = redactorOf([encodeURIComponent(password)]);
    for (const form of formsOf(password)) expect(given(`x ${form}`)).toBe('x [redacted]');
  });

  it('takes the longer of two that begin alike', () => {
    expect(redactorOf(['abcdefgh', 'abcdefghijkl'])('abcdefghijkl')).toBe('[redacted]');
  });

  it('leaves ordinary words: a secret of fewer than eight characters looks like one', () => {
    expect(redactorOf(['stamp', ''])('a stamp')).toBe('a stamp');
  });

  const key = `ind_${'a1B2'.repeat(9)}`;
  it.each([
    ['an API key', `no key ${key}, none`, 'no key ind_[redacted], none'],
    ['a webhook secret', `signed with whsec_${'aB1+'.repeat(10)}=`, 'signed with whsec_[redacted]'],
    ['a token', 'Authorization: Bearer abcdefghijklmnop.q-r', 'Authorization: Bearer [redacted]'],
    ['Basic', 'authorization: basic dXNlcjpwYXNzd29yZA==', 'authorization: basic [redacted]'],
    ['a password in a URL', 'postgres://u:p%2Fq@host/db refuses', 'postgres://u:[redacted]@host/db refuses'],
    ['a URL without a user', 'redis://:hush@host', 'redis://:[redacted]@host'],
    [
      'a signed URL',
      'GET https://s/b?X-Goog-Signature=00ff&x=1&X-Amz-Security-Token=abc#f',
      'GET https://s/b?X-Goog-Signature=[redacted]&x=1&X-Amz-Security-Token=[redacted]#f',
    ],
    ['an API key in a query', 'https://node/?apikey=hush', 'https://node/?apikey=[redacted]'],
    [
      'a private key',
      'bad -----BEGIN EC PRIVATE KEY-----\nMHc\n-----END',
      'bad -----BEGIN EC PRIVATE KEY-----[redacted]',
    ],
    ['a JSON web token', 'got eyJhbGciOiJub25l.eyJzdWIiOiJhIn0x.c2lnbmF0dXJl', 'got eyJ[redacted]'],
  ])('removes %s that nobody has told it', (_, text, expected) => {
    expect(redactorOf([])(text)).toBe(expected);
    expect(JSON.parse(redactorOf([])(JSON.stringify({ text })))).toEqual({ text: expected });
  });

  it('leaves what is public: CIDs, hashes, addresses, ids, hosts', () => {
    const text = `0x${'ab'.repeat(32)} 0x${'cd'.repeat(20)} 0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d https://host:8080/a?b=c basic rule`;
    expect(redact(text)).toBe(text);
  });

  it.each([':', '://', '://a:', '?', '&', '&token', '-----BEGIN ', 'eyJ', '-eyJaaaaaaaa.', 'ind_', 'Bearer ', 'x'])(
    'computes in proportion to the text: %j',
    (piece) => {
      // Of this thread alone, independent of other load.
      const computingMsOf = (length: number): number => {
        const text = piece.repeat(length / piece.length);
        const before = process.threadCpuUsage();
        redact(text);
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1_000;
      };
      // Quadratic time: 1,600 times as long.
      const [less, more] = [
        Math.max(computingMsOf(10_000), computingMsOf(10_000), 0.5),
        Math.min(computingMsOf(400_000), computingMsOf(400_000)),
      ];
      expect(more / less).toBeLessThan(400);
    },
  );
});
