import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { Interface, id } from 'ethers';
import { decodeContractError } from './errors.ts';
import { commitmentServiceAbi, errorSelectors } from './generated/commitment-service.ts';

const names = ['InvalidSet', 'InvalidBatch', 'Unauthorized', 'InvalidSignature', 'InvalidNonce'] as const;

describe('decodeContractError', () => {
  it('names exactly the five errors of the contract', () => {
    expect(Object.keys(errorSelectors).toSorted()).toEqual(names.toSorted());
    const oracle = new Interface(commitmentServiceAbi);
    for (const name of names) expect(decodeContractError(oracle.encodeErrorResult(name) as Hex)).toBe(name);
  });

  it('does not name anything else', () => {
    expect(decodeContractError('0x')).toBeUndefined();
    expect(decodeContractError(id('Other()').slice(0, 10) as Hex)).toBeUndefined();
    expect(decodeContractError(`${errorSelectors.InvalidSet}00`)).toBeUndefined();
    const text = new Interface(['error Error(string)']).encodeErrorResult('Error', ['InvalidSet']);
    expect(decodeContractError(text as Hex)).toBeUndefined();
  });
});
