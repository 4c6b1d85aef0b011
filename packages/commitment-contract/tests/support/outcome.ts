import type { Hex } from '@indelible/identifiers';
import { Interface } from 'ethers';
import { type ContractEvent, commitmentServiceAbi, decodeContractError, decodeContractLog } from '../../src/index.ts';
import type { Chain, Transaction } from './chain.ts';

const contract = new Interface(commitmentServiceAbi);

/** Call data by ethers, also for the functions that the codec leaves out. */
export const encode = (name: string, ...values: readonly unknown[]): Hex =>
  contract.encodeFunctionData(name, values) as Hex;

/** What a view answers the sender. */
export async function view(chain: Chain, name: string, values: readonly unknown[], from: Hex = outsider) {
  const result = await chain.call({ from, data: encode(name, ...values) });
  if ('revertData' in result) throw new Error(`${name} reverted`);
  return contract.decodeFunctionResult(name, result.answer).toArray();
}

/** Somebody who has no part in the contract. */
export const outsider: Hex = '0x00000000000000000000000000000000000057ee';

/** Events of a mined call and its block's time, or the name of the error (the revert data when it has none). */
export type Outcome = { readonly events: readonly ContractEvent[]; readonly time: number } | { readonly error: string };

/** Calls and then mines a transaction; a call that fails must fail when mined, too, and leave no log. */
export async function outcome(chain: Chain, transaction: Transaction): Promise<Outcome> {
  const called = await chain.call(transaction);
  const [receipt] = await chain.send(transaction);
  if (receipt === undefined) throw new Error('no receipt');
  if ('revertData' in called) {
    if (receipt.status !== '0x0' || receipt.logs.length > 0) throw new Error('the mined call did not fail');
    return { error: decodeContractError(called.revertData) ?? called.revertData };
  }
  const events = receipt.logs.map((log) => {
    const event = log.address === chain.contract ? decodeContractLog(log) : undefined;
    if (event === undefined) throw new Error('a log of somebody else');
    return event;
  });
  return { events, time: await chain.timeOf(receipt.blockHash) };
}

/** The events of a call that must succeed. */
export async function eventsOf(chain: Chain, transaction: Transaction): Promise<readonly ContractEvent[]> {
  const result = await outcome(chain, transaction);
  if ('error' in result) throw new Error(`the call failed: ${result.error}`);
  return result.events;
}
