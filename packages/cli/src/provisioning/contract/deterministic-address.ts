import { commitmentServiceBytecode } from '@indelible/commitment-contract';
import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';

/**
 * The factory that nearly every chain has at this address, also anvil: it creates, with CREATE2, the contract whose creation code
 * it is sent behind a salt of 32 bytes.
 */
export const factory: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

/** Each operator has a contract of its own, so that no stranger's commitments come into what it indexes unasked. */
const saltOf = (operator: Hex): string => operator.slice(2).toLowerCase().padStart(64, '0');

/** What is sent to the factory. */
export const factoryCallOf = (operator: Hex): Hex => `0x${saltOf(operator)}${commitmentServiceBytecode.slice(2)}`;

/** Where the factory creates the operator's contract: the same on every chain. */
export function deterministicAddress(operator: Hex): Hex {
  const codeHash = hexOfBytes(keccak256(bytesOfHex(commitmentServiceBytecode))).slice(2);
  const seed = `0xff${factory.slice(2)}${saltOf(operator)}${codeHash}`;
  return `0x${hexOfBytes(keccak256(bytesOfHex(seed))).slice(-40)}`;
}
