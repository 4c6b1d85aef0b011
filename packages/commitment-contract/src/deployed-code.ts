import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';
import { addressWord, uintWord } from './codec/words.ts';
import { commitmentServiceRuntime } from './generated/commitment-service.ts';
import { type ContractDomain, domain } from './typed-data.ts';

const domainType = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
const hashOf = (text: string): string => hexOfBytes(keccak256(Buffer.from(text))).slice(2);

/** The code of the contract at that address of that chain, to the byte: it holds both, as words that the constructor writes. */
export function deployedCode(at: ContractDomain): Hex {
  const { name, version } = domain(at);
  const words = [hashOf(domainType), hashOf(name), hashOf(version), uintWord(at.chainId), addressWord(at.contract)];
  const separator = keccak256(bytesOfHex(`0x${words.join('')}`));
  const code = bytesOfHex(commitmentServiceRuntime.code).slice();
  for (const offset of commitmentServiceRuntime.chainIdAt) code.set(bytesOfHex(`0x${uintWord(at.chainId)}`), offset);
  for (const offset of commitmentServiceRuntime.domainSeparatorAt) code.set(separator, offset);
  return hexOfBytes(code);
}
