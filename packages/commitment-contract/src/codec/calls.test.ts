import { hexOfBytes } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { Interface } from 'ethers';
import fc from 'fast-check';
import { commitmentServiceAbi } from '../generated/commitment-service.ts';
import {
  encodeAddLane,
  encodeAddUserSet,
  encodeGrant,
  encodeGrantBySignature,
  encodeRemoveLane,
  encodeRevoke,
  encodeRevokeBySignature,
} from './calls.ts';

const oracle = new Interface(commitmentServiceAbi);
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hexOfBytes);
const call = fc.record({
  user: bytes(20),
  delegate: bytes(20),
  setCid: bytes(32),
  nonce: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  signature: fc.uint8Array({ maxLength: 100 }).map(hexOfBytes),
});

describe('calls', () => {
  it('are what ethers gives, for any values', () => {
    fc.assert(
      fc.property(call, ({ user, delegate, setCid, nonce, signature }) => {
        const signed = [{ delegate, nonce }, user, signature];
        expect([
          encodeAddUserSet({ user, setCid }),
          encodeGrant({ delegate }),
          encodeRevoke({ delegate }),
          encodeGrantBySignature({ user, delegate, nonce, signature }),
          encodeRevokeBySignature({ user, delegate, nonce, signature }),
          encodeAddLane({ lane: delegate, signature }),
          encodeRemoveLane({ lane: delegate }),
        ]).toEqual([
          oracle.encodeFunctionData('addUserSet', [user, setCid]),
          oracle.encodeFunctionData('grant', [delegate]),
          oracle.encodeFunctionData('revoke', [delegate]),
          oracle.encodeFunctionData('grantBySignature', signed),
          oracle.encodeFunctionData('revokeBySignature', signed),
          oracle.encodeFunctionData('addLane', [delegate, signature]),
          oracle.encodeFunctionData('removeLane', [delegate]),
        ]);
      }),
    );
  });

  it('refuse values that do not fit their types', () => {
    const user = `0x${'ab'.repeat(20)}` as const;
    const signed = { user, delegate: user, nonce: 0n, signature: '0x00' } as const;
    expect(() => encodeGrant({ delegate: '0xab' })).toThrow(RangeError);
    expect(() => encodeAddUserSet({ user, setCid: user })).toThrow(RangeError);
    expect(() => encodeGrantBySignature({ ...signed, nonce: -1n })).toThrow(RangeError);
    expect(() => encodeGrantBySignature({ ...signed, nonce: 2n ** 256n })).toThrow(RangeError);
    expect(() => encodeGrantBySignature({ ...signed, nonce: 0.5 })).toThrow(RangeError);
    expect(() => encodeGrantBySignature({ ...signed, signature: '0x0' })).toThrow(RangeError);
    expect(() => encodeGrantBySignature({ ...signed, signature: '0xzz' })).toThrow(RangeError);
  });
});
