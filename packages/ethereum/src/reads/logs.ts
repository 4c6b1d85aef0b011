import type { Hex } from '@indelible/identifiers';
import { RpcUnavailableError } from '../rpc/errors.ts';
import type { Rpc, RpcCallOptions } from '../rpc/port.ts';
import { bytesField, fieldsOf, hexOf, listOf, numberOf } from './fields.ts';

export type Log = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: number;
  /** Its place among all logs of the block. */
  readonly logIndex: number;
};

/**
 * The logs of one contract in one block, in the block's order. By hash, so that the answer cannot be of another fork.
 * @throws RpcUnavailableError, RpcAnswerError (a node that does not know the block answers an error, or no logs)
 */
export async function getLogsByBlockHash(
  rpc: Rpc,
  blockHash: Hex,
  address: Hex,
  options?: RpcCallOptions,
): Promise<readonly Log[]> {
  return readLogs(await rpc.call<unknown>('eth_getLogs', [{ blockHash, address }], options), blockHash);
}

/** Reads the answer of eth_getLogs for a block. @throws RpcUnavailableError when it is malformed or of another block */
export function readLogs(answer: unknown, blockHash: Hex): readonly Log[] {
  const logs = listOf(answer, 'logs').map(readLog);
  if (logs.some((log) => log.blockHash !== blockHash))
    throw new RpcUnavailableError('the node gave logs of another block');
  return logs.sort((a, b) => a.logIndex - b.logIndex);
}

/** @throws RpcUnavailableError when the log is malformed, or was removed with its block */
export function readLog(answer: unknown): Log {
  const log = fieldsOf(answer, 'log');
  if (log.removed === true) throw new RpcUnavailableError('the node gave a log that was removed');
  return {
    address: bytesField(log.address, 20, 'address'),
    topics: listOf(log.topics, 'topics').map((topic) => bytesField(topic, 32, 'topic')),
    data: hexOf(log.data, 'data'),
    blockNumber: numberOf(log.blockNumber, 'blockNumber'),
    blockHash: bytesField(log.blockHash, 32, 'blockHash'),
    transactionHash: bytesField(log.transactionHash, 32, 'transactionHash'),
    transactionIndex: numberOf(log.transactionIndex, 'transactionIndex'),
    logIndex: numberOf(log.logIndex, 'logIndex'),
  };
}
