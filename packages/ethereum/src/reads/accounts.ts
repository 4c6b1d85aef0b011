import type { Hex } from '@indelible/identifiers';
import type { Rpc, RpcCallOptions } from '../rpc/port.ts';
import { type BlockTag, bigintOf, blockParameter, bytesField, hexOf, numberOf, quantityOf } from './fields.ts';

/** All of these throw RpcUnavailableError or RpcAnswerError. */

/** The next nonce at that block; `pending` counts what waits in this node's pool. */
export async function getTransactionCount(
  rpc: Rpc,
  address: Hex,
  block: BlockTag | number = 'latest',
  options?: RpcCallOptions,
): Promise<number> {
  return numberOf(
    await rpc.call<unknown>('eth_getTransactionCount', [address, blockParameter(block)], options),
    'transaction count',
  );
}

/** Wei. */
export async function getBalance(
  rpc: Rpc,
  address: Hex,
  block: BlockTag | number = 'latest',
  options?: RpcCallOptions,
): Promise<bigint> {
  return bigintOf(await rpc.call<unknown>('eth_getBalance', [address, blockParameter(block)], options), 'balance');
}

/** `0x` where no contract is. */
export async function getCode(
  rpc: Rpc,
  address: Hex,
  block: BlockTag | number = 'latest',
  options?: RpcCallOptions,
): Promise<Hex> {
  return hexOf(await rpc.call<unknown>('eth_getCode', [address, blockParameter(block)], options), 'code');
}

export type CallFields = {
  readonly to: Hex;
  readonly data: Hex;
  readonly from?: Hex;
  readonly gas?: bigint;
  readonly value?: bigint;
};

/** The return data; a call that reverts is an RpcAnswerError with its revert data. */
export async function ethCall(
  rpc: Rpc,
  call: CallFields,
  block: BlockTag | number = 'latest',
  options?: RpcCallOptions,
): Promise<Hex> {
  const answer = await rpc.call<unknown>('eth_call', [callParameter(call), blockParameter(block)], options);
  return hexOf(answer, 'return data');
}

/** Units of gas; a call that would revert is an RpcAnswerError. */
export async function estimateGas(rpc: Rpc, call: CallFields, options?: RpcCallOptions): Promise<bigint> {
  return bigintOf(await rpc.call<unknown>('eth_estimateGas', [callParameter(call)], options), 'gas estimate');
}

/** The transaction's hash. `meaningOf` says what an error means for the transaction. */
export async function sendRawTransaction(rpc: Rpc, rawTransaction: Hex, options?: RpcCallOptions): Promise<Hex> {
  return bytesField(await rpc.call<unknown>('eth_sendRawTransaction', [rawTransaction], options), 32, 'hash');
}

const callParameter = ({ to, data, from, gas, value }: CallFields): Record<string, string> => ({
  to,
  data,
  ...(from === undefined ? {} : { from }),
  ...(gas === undefined ? {} : { gas: quantityOf(gas) }),
  ...(value === undefined ? {} : { value: quantityOf(value) }),
});
