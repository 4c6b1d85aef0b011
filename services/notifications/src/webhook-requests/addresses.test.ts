import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isLocalhost, reachOf } from './addresses.ts';

describe('an address', () => {
  it.each(['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0', '223.255.255.255'])(
    '%s is public',
    (address) => expect(reachOf(address)).toBe('public'),
  );
  it.each(['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888', '2620:fe::fe'])(
    '%s is public',
    (address) => expect(reachOf(address)).toBe('public'),
  );
  it.each(['127.0.0.1', '127.0.0.0', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])('%s is this machine', (address) =>
    expect(reachOf(address)).toBe('loopback'),
  );
  it.each([
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    ['private', '10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ['shared (CGNAT)', '100.64.0.0', '100.127.255.255'],
    ['link-local', '169.254.0.0', '169.254.255.255', 'fe80::1', 'febf:ffff::1', 'fe80::1%eth0'],
    ['cloud metadata', '169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
    ['the platform of Azure', '168.63.129.16'],
    ['reserved for protocols', '192.0.0.0', '192.0.0.255', '192.88.99.1', '2001::1', '2001:10::1', '2001:20::1'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff::1'],
    ['benchmarks', '198.18.0.0', '198.19.255.255', '2001:2::1'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    ['reserved', '240.0.0.1', '255.255.255.254', '100::1', '100:0:0:1::1', '400::1', '4000::1', '5f00::1', 'fec0::1'],
    ['broadcast', '255.255.255.255'],
    ['unique local', 'fc00::1', 'fdff:ffff::1'],
    ['IPv4 mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
    ['IPv4 compatible', '::127.0.0.1', '::10.0.0.1', '::8.8.8.8'],
    ['IPv4 translated', '::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::8.8.8.8'],
    ['locally translated', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:f5ff:fffe'],
    ['no address', '', 'localhost', '127.1', '0177.0.0.1', '2130706433', '127.0.0.1:80', '[::1]', '1.1.1.1%eth0'],
    ['with a zone', '2606:4700:4700::1111%eth0', '::1%lo'],
  ])('is never reached: %s', (_what, ...addresses) => {
    expect(addresses.filter((address) => reachOf(address) !== 'never')).toEqual([]);
  });

  it('in IPv6 is public only within 2000::/3', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(address.split(':')[0] || '0', 16);
        return reachOf(address) !== 'public' || (first >= 0x2000 && first <= 0x3fff);
      }),
    );
  });
});

describe('a name', () => {
  it.each(['localhost', 'localhost.', 'LocalHost', 'a.b.localhost', 'a.localhost.'])('%s is this machine', (name) =>
    expect(isLocalhost(name)).toBe(true),
  );
  it.each(['localhost.example.com', 'notlocalhost', 'localhost.localdomain', ''])('%s is resolved', (name) =>
    expect(isLocalhost(name)).toBe(false),
  );
});
