import { describe, expect, it } from '@jest/globals';
import { faultOfWebhookUrl } from './webhook-url.ts';

const strict = { allowLoopbackHttp: false };
const local = { allowLoopbackHttp: true };
const notPublic = 'must lead to a public address';

describe('the URL of a webhook', () => {
  it.each([
    'https://hooks.example.com',
    'https://hooks.example.com/a/b?c=d%20e',
    'https://hooks.example.com:8443/',
    'https://hooks.example.com:443/',
    'HTTPS://Hooks.Example.COM./',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://metadata.google.internal/', // a name is judged by its addresses
    'https://printer.local/',
    'https://user/@path',
  ])('%s may be one', (url) => {
    expect(faultOfWebhookUrl(url, strict)).toBeUndefined();
    expect(faultOfWebhookUrl(url, local)).toBeUndefined();
  });

  it.each([
    ['', 'must be a URL'],
    ['hooks.example.com', 'must be a URL'],
    ['/path', 'must be a URL'],
    ['https://', 'must be a URL'],
    ['https:hooks.example.com', 'must be a URL'],
    ['https:///hooks.example.com', 'must be a URL'],
    ['https://256.256.256.256/', 'must be a URL'],
    ['https://[fe80::1%25eth0]/', 'must be a URL'],
    ['https://[::1', 'must be a URL'],
    ['http://hooks.example.com/', 'must begin with https://'],
    ['ftp://hooks.example.com/', 'must begin with https://'],
    ['file:///etc/passwd', 'must be a URL'],
    ['javascript://x', 'must begin with https://'],
    ['https://user@hooks.example.com/', 'must not contain a user name or password'],
    ['https://user:secret@hooks.example.com/', 'must not contain a user name or password'],
    ['https://@hooks.example.com/', 'must not contain a user name or password'],
    ['https://hooks.example.com@127.0.0.1/', 'must not contain a user name or password'],
    ['https://hooks.example.com/#part', 'must not contain a fragment (#)'],
    ['https://hooks.example.com/#', 'must not contain a fragment (#)'],
    ['https://hooks.example.com:22/', 'must have no port, or one from 1024'],
    ['https://hooks.example.com:80/', 'must have no port, or one from 1024'],
    ['https://hooks.example.com:0/', 'must have no port, or one from 1024'],
    ['https://hooks.example.com:65536/', 'must be a URL'],
    ['https://hooks.example.com\\@127.0.0.1/', 'must not contain spaces, control characters or backslashes'],
    ['https:\\\\hooks.example.com/', 'must not contain spaces, control characters or backslashes'],
    [' https://hooks.example.com/', 'must not contain spaces, control characters or backslashes'],
    ['https://hooks.exa\tmple.com/', 'must not contain spaces, control characters or backslashes'],
    ['https://hooks.example.com/\r\nHost: x', 'must not contain spaces, control characters or backslashes'],
    [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'must be at most 2048 characters'],
  ])('%s is none', (url, fault) => {
    expect(faultOfWebhookUrl(url, strict)).toBe(fault);
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0177.0.0.1',
    '017700000001',
    '0x7f.1',
    '0x7f000001',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '127.255.255.254',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'hooks.localhost',
    'ⓛocalhost',
    'local\u00adhost',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
  ])('%s is this machine: for a local start only', (host) => {
    expect(faultOfWebhookUrl(`https://${host}/`, strict)).toBe(notPublic);
    expect(faultOfWebhookUrl(`http://${host}/`, strict)).toBe('must begin with https://');
    expect(faultOfWebhookUrl(`https://${host}:3000/`, local)).toBeUndefined();
    expect(faultOfWebhookUrl(`http://${host}:3000/`, local)).toBeUndefined();
  });

  it.each(['0.0.0.0', '0', '10.0.0.1', '0xa9fea9fe', '2852039166', '169.254.169.254', '[::]', '[::ffff:127.0.0.1]'])(
    '%s is refused everywhere',
    (host) => {
      expect(faultOfWebhookUrl(`https://${host}/`, strict)).toBe(notPublic);
      expect(faultOfWebhookUrl(`https://${host}/`, local)).toBe(notPublic);
      expect(faultOfWebhookUrl(`http://${host}/`, local)).toBe(notPublic);
    },
  );

  it('is http for this machine only, and says so', () => {
    expect(faultOfWebhookUrl('http://8.8.8.8/', local)).toBe(
      'must begin with https://: http:// is for this machine only',
    );
    expect(faultOfWebhookUrl('http://hooks.example.com/', local)).toBe(
      'must begin with https://: http:// is for this machine only',
    );
    expect(faultOfWebhookUrl('ftp://localhost/', local)).toBe('must begin with https://, or http:// for this machine');
  });
});
