import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { Interface } from 'ethers';
import { MalformedAnswerError } from '../errors.ts';
import { commitmentServiceAbi } from '../generated/commitment-service.ts';
import {
  decodeDelegatedAuthority,
  decodeLaneOperator,
  decodeNonces,
  decodeSetHead,
  decodeUserSetCommitments,
  encodeDelegatedAuthority,
  encodeLaneOperator,
  encodeNonces,
  encodeSetHead,
  encodeUserSetCommitments,
} from './views.ts';

const oracle = new Interface(commitmentServiceAbi);
const user: Hex = `0x${'1b'.repeat(20)}`;
const delegate: Hex = `0x${'2c'.repeat(20)}`;
const setCid: Hex = `0x${'3d'.repeat(32)}`;
const answer = (name: string, value: unknown) => oracle.encodeFunctionResult(name, [value]) as Hex;

describe('views', () => {
  it('are encoded as ethers encodes them', () => {
    expect([
      encodeDelegatedAuthority({ user, delegate }),
      encodeLaneOperator({ lane: user }),
      encodeSetHead({ user, setCid }),
      encodeUserSetCommitments({ user, setCid }),
      encodeNonces({ user }),
    ]).toEqual([
      oracle.encodeFunctionData('delegatedAuthority', [user, delegate]),
      oracle.encodeFunctionData('laneOperator', [user]),
      oracle.encodeFunctionData('setHead', [user, setCid]),
      oracle.encodeFunctionData('userSetCommitments', [user, setCid]),
      oracle.encodeFunctionData('nonces', [user]),
    ]);
  });

  it('read what ethers writes', () => {
    expect(decodeDelegatedAuthority(answer('delegatedAuthority', true))).toBe(true);
    expect(decodeUserSetCommitments(answer('userSetCommitments', false))).toBe(false);
    expect(decodeLaneOperator(answer('laneOperator', delegate))).toBe(delegate);
    expect(decodeSetHead(answer('setHead', setCid))).toBe(setCid);
    expect(decodeNonces(answer('nonces', 2n ** 200n))).toBe(2n ** 200n);
  });

  it('answer undefined for no operator and for no set', () => {
    expect(decodeLaneOperator(answer('laneOperator', `0x${'0'.repeat(40)}`))).toBeUndefined();
    expect(decodeSetHead(answer('setHead', `0x${'0'.repeat(64)}`))).toBeUndefined();
  });

  it('refuse an answer of another shape, as that of an address without a contract', () => {
    for (const decode of [decodeDelegatedAuthority, decodeLaneOperator, decodeSetHead, decodeNonces]) {
      expect(() => decode('0x')).toThrow(MalformedAnswerError);
    }
    expect(() => decodeUserSetCommitments(`0x${'0'.repeat(63)}2`)).toThrow(MalformedAnswerError);
    expect(() => decodeLaneOperator(setCid)).toThrow(MalformedAnswerError);
    expect(() => decodeNonces(`0x${'0'.repeat(63)}x`)).toThrow(MalformedAnswerError);
  });
});
