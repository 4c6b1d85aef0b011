import { commitmentServiceBytecode } from '@indelible/commitment-contract';
import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';

/**
 * The factory that nearly every chain, also anvil, has at this address: given a salt of 32 bytes and creation code, it
 * creates that contract with CREATE2.
 */
export const factory: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

/** Each operator has its own contract, so that it does not index the commitments of others. */
const saltOf = (operator: Hex): string => operator.slice(2).toLowerCase().padStart(64, '0');

/** Call data for the factory. */
export const factoryCallOf = (operator: Hex): Hex => `0x${saltOf(operator)}${commitmentServiceBytecode.slice(2)}`;

/** Where the factory creates the operator's contract: the same on every chain. */
export function deterministicAddress(operator: Hex): Hex {
  const codeHash = hexOfBytes(keccak256(bytesOfHex(commitmentServiceBytecode))).slice(2);
  const seed = `0xff${factory.slice(2)}${saltOf(operator)}${codeHash}`;
  return `0x${hexOfBytes(keccak256(bytesOfHex(seed))).slice(-40)}`;
}
