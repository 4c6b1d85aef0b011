import { commitmentServiceBytecode, functionSelectors } from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';
import type { TestAnvil } from '@indelible/testing';

/** Two of the accounts anvil signs for. */
export const alice: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const bob: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

export const cid = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const word = (value: Hex): string => value.slice(2).padStart(64, '0');
const call = (name: keyof typeof functionSelectors, ...words: readonly string[]): Hex =>
  `0x${functionSelectors[name].slice(2)}${words.join('')}`;

/** The contract on a chain that mines by hand: each method sends, none mines. Answers the transaction's hash. */
export type ContractOnAnvil = {
  readonly address: Hex;
  addSet(from: Hex, set: Hex): Promise<Hex>;
  addObject(from: Hex, object: Hex): Promise<Hex>;
  addSetObject(from: Hex, set: Hex, object: Hex): Promise<Hex>;
  addSetObjects(from: Hex, set: Hex, objects: readonly Hex[]): Promise<Hex>;
  /** An object in a run with any user word. */
  addForUserWord(from: Hex, userWord: Hex, object: Hex): Promise<Hex>;
  grant(from: Hex, delegate: Hex): Promise<Hex>;
  revoke(from: Hex, delegate: Hex): Promise<Hex>;
};

/** Creates the contract in the next block. */
export async function createContract(
  chain: TestAnvil,
  bytecode: Hex = commitmentServiceBytecode,
): Promise<ContractOnAnvil> {
  const send = (from: Hex, data: Hex, to?: Hex): Promise<Hex> =>
    chain.request('eth_sendTransaction', [{ from, data, gas: '0x1000000', ...(to === undefined ? {} : { to }) }]);
  const creation = await send(alice, bytecode);
  await chain.mine();
  const receipt = await chain.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [creation]);
  const address = receipt.contractAddress.toLowerCase() as Hex;
  return {
    address,
    addSet: (from, set) => send(from, call('addSet', word(set)), address),
    addObject: (from, object) => send(from, call('addObject', word(object)), address),
    addSetObject: (from, set, object) => send(from, call('addSetObject', word(set), word(object)), address),
    addSetObjects: (from, set, objects) => {
      const words = [word(set), word('0x40'), word(cid(objects.length)), ...objects.map(word)];
      return send(from, call('addSetObjectsBatch', ...words), address);
    },
    addForUserWord: (from, userWord, object) => {
      const run = [word(userWord), word('0x1'), word('0x0'), word('0x0')];
      const words = [word('0x40'), word('0xe0'), word('0x1'), ...run, word('0x1'), word(object)];
      return send(from, call('commitBatch', ...words), address);
    },
    grant: (from, delegate) => send(from, call('grant', word(delegate)), address),
    revoke: (from, delegate) => send(from, call('revoke', word(delegate)), address),
  };
}
