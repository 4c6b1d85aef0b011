import { readFile } from 'node:fs/promises';
import type { Hex } from '@indelible/identifiers';
import { Interface } from 'ethers';
import solc from 'solc';

const sourceFile = new URL('../../contracts/SlotPerObject.sol', import.meta.url);
const sourceName = 'SlotPerObject.sol';
/** Those of our own contract. */
const settings = { viaIR: true, optimizer: { enabled: true, runs: 1_000_000 }, evmVersion: 'shanghai' };

type CompilerOutput = {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { abi: object[]; evm: { bytecode: { object: string } } }>>>
  >;
};

/** The contract that keeps a slot per object, compiled. @throws Error with the compiler's messages */
export async function compileSlotPerObject(): Promise<{ readonly abi: Interface; readonly bytecode: Hex }> {
  const input = {
    ...{ language: 'Solidity', sources: { [sourceName]: { content: await readFile(sourceFile, 'utf8') } } },
    settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)));
  const contract = output.contracts?.[sourceName]?.SlotPerObject;
  if (contract === undefined || output.errors !== undefined)
    throw new Error((output.errors ?? []).map(({ formattedMessage }) => formattedMessage).join('\n'));
  return { abi: new Interface(JSON.stringify(contract.abi)), bytecode: `0x${contract.evm.bytecode.object}` };
}
