import type { Hex } from '@indelible/identifiers';
import type { Rpc, RpcCallOptions } from '../rpc/port.ts';
import { bigintOf, bytesField, fieldsOf, listOf, numberOf } from './fields.ts';
import { type Log, readLog } from './logs.ts';

/** Gas as units, price in wei per gas. */
export type TransactionReceipt = {
  readonly transactionHash: Hex;
  readonly transactionIndex: number;
  readonly blockHash: Hex;
  readonly blockNumber: number;
  readonly from: Hex;
  readonly to: Hex | null;
  /** The contract that the transaction created. */
  readonly contractAddress: Hex | null;
  readonly status: 'success' | 'reverted';
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
};

export type KnownTransaction = {
  readonly hash: Hex;
  readonly nonce: number;
  readonly from: Hex;
  /** Null while it waits in the pool. */
  readonly blockHash: Hex | null;
  readonly blockNumber: number | null;
};

/** @returns null when no block of the node's canonical chain holds it. @throws RpcUnavailableError, RpcAnswerError */
export async function getTransactionReceipt(
  rpc: Rpc,
  hash: Hex,
  options?: RpcCallOptions,
): Promise<TransactionReceipt | null> {
  const answer = await rpc.call<unknown>('eth_getTransactionReceipt', [hash], options);
  return answer === null ? null : readReceipt(answer);
}

/** Every receipt of a block, in order. @returns null when the node has no such block. @throws RpcUnavailableError, RpcAnswerError */
export async function getBlockReceipts(
  rpc: Rpc,
  blockHash: Hex,
  options?: RpcCallOptions,
): Promise<readonly TransactionReceipt[] | null> {
  const answer = await rpc.call<unknown>('eth_getBlockReceipts', [blockHash], options);
  return answer === null ? null : listOf(answer, 'receipts').map(readReceipt);
}

/** @returns null when the node does not know it, in a block or in its pool. @throws RpcUnavailableError, RpcAnswerError */
export async function getTransaction(rpc: Rpc, hash: Hex, options?: RpcCallOptions): Promise<KnownTransaction | null> {
  const answer = await rpc.call<unknown>('eth_getTransactionByHash', [hash], options);
  if (answer === null) return null;
  const tx = fieldsOf(answer, 'transaction');
  return {
    hash: bytesField(tx.hash, 32, 'hash'),
    nonce: numberOf(tx.nonce, 'nonce'),
    from: bytesField(tx.from, 20, 'from'),
    blockHash: nullable(tx.blockHash, (hash) => bytesField(hash, 32, 'blockHash')),
    blockNumber: nullable(tx.blockNumber, (number) => numberOf(number, 'blockNumber')),
  };
}

/** Reads a receipt of any method. @throws RpcUnavailableError when it is malformed or missing */
export function readReceipt(answer: unknown): TransactionReceipt {
  const receipt = fieldsOf(answer, 'receipt');
  return {
    transactionHash: bytesField(receipt.transactionHash, 32, 'transactionHash'),
    transactionIndex: numberOf(receipt.transactionIndex, 'transactionIndex'),
    blockHash: bytesField(receipt.blockHash, 32, 'blockHash'),
    blockNumber: numberOf(receipt.blockNumber, 'blockNumber'),
    from: bytesField(receipt.from, 20, 'from'),
    to: nullable(receipt.to, (to) => bytesField(to, 20, 'to')),
    contractAddress: nullable(receipt.contractAddress, (address) => bytesField(address, 20, 'contractAddress')),
    status: numberOf(receipt.status, 'status') === 1 ? 'success' : 'reverted',
    gasUsed: bigintOf(receipt.gasUsed, 'gasUsed'),
    effectiveGasPrice: nullable(receipt.effectiveGasPrice, (price) => bigintOf(price, 'effectiveGasPrice')) ?? 0n,
    logs: listOf(receipt.logs, 'logs').map(readLog),
  };
}

const nullable = <Value>(value: unknown, read: (value: unknown) => Value): Value | null =>
  value === null || value === undefined ? null : read(value);
