import { describe, expect, it } from '@jest/globals';
import { TypedDataEncoder } from 'ethers';
import { grantTypedData, laneTypedData, revokeTypedData } from './typed-data.ts';

const at = { chainId: 31337, contract: `0x${'1b'.repeat(20)}` } as const;
const delegate = `0x${'2c'.repeat(20)}` as const;
const types = (typed: { readonly types: Readonly<Record<string, readonly { name: string; type: string }[]>> }) =>
  Object.fromEntries(Object.entries(typed.types).map(([name, fields]) => [name, [...fields]]));

describe('typed data', () => {
  it('has the struct types of the contract', () => {
    const encoded = [
      grantTypedData(at, { delegate, nonce: 1n }),
      revokeTypedData(at, { delegate, nonce: 1n }),
      laneTypedData(at, { operator: delegate, nonce: 1n }),
    ].map((typed) => [typed.primaryType, TypedDataEncoder.from(types(typed)).encodeType(typed.primaryType)]);
    expect(encoded).toEqual([
      ['Grant', 'Grant(address delegate,uint256 nonce)'],
      ['Revoke', 'Revoke(address delegate,uint256 nonce)'],
      ['Lane', 'Lane(address operator,uint256 nonce)'],
    ]);
  });

  it('is bound to one contract on one chain', () => {
    expect(grantTypedData(at, { delegate, nonce: 1n }).domain).toEqual({
      name: 'CommitmentService',
      version: '1',
      chainId: 31337,
      verifyingContract: at.contract,
    });
  });
});
