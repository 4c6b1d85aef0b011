import type { Hex } from '@indelible/identifiers';
import { errorSelectors } from './generated/commitment-service.ts';

/** The errors by which the contract refuses. None of them goes away by sending the same call again. */
export type ContractErrorName = keyof typeof errorSelectors;

const nameBySelector = new Map<string, ContractErrorName>();
for (const [name, selector] of Object.entries(errorSelectors)) nameBySelector.set(selector, name as ContractErrorName);

/**
 * Names the contract's error in revert data (0x hex). Undefined for anything else: empty data (out of gas, arguments
 * that the ABI forbids), Error(string), Panic(uint256), an error of another contract.
 */
export function decodeContractError(revertData: Hex): ContractErrorName | undefined {
  return revertData.length === 10 ? nameBySelector.get(revertData.toLowerCase()) : undefined;
}

/** A node answered with something that this contract does not emit or return. Another node, or a later try, may answer right. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';
  readonly retryable = true;
}
