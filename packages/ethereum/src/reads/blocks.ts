import type { Hex } from '@indelible/identifiers';
import type { Rpc, RpcCallOptions } from '../rpc/port.ts';
import { type BlockTag, bigintOf, blockParameter, bytesField, fieldsOf, listOf, numberOf } from './fields.ts';

/** A block's place in the chain, as a header subscription reports it. Time in seconds. */
export type Head = {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  readonly logsBloom: Hex;
};

export type BlockHeader = Head & {
  /** Wei; null on a chain without EIP-1559. */
  readonly baseFeePerGas: bigint | null;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly transactions: readonly Hex[];
};

/** @returns null when the node has no such block. @throws RpcUnavailableError, RpcAnswerError */
export async function getBlockByNumber(
  rpc: Rpc,
  block: BlockTag | number,
  options?: RpcCallOptions,
): Promise<BlockHeader | null> {
  return readBlock(await rpc.call<unknown>('eth_getBlockByNumber', [blockParameter(block), false], options));
}

/** @returns null when the node has no such block. @throws RpcUnavailableError, RpcAnswerError */
export async function getBlockByHash(rpc: Rpc, hash: Hex, options?: RpcCallOptions): Promise<BlockHeader | null> {
  return readBlock(await rpc.call<unknown>('eth_getBlockByHash', [hash, false], options));
}

/** Reads a node's block object of any method. @throws RpcUnavailableError when it is malformed */
export function readBlock(answer: unknown): BlockHeader | null {
  if (answer === null || answer === undefined) return null;
  const block = fieldsOf(answer, 'block');
  const base = block.baseFeePerGas;
  return {
    ...readHead(block),
    baseFeePerGas: base === undefined || base === null ? null : bigintOf(base, 'baseFeePerGas'),
    gasLimit: bigintOf(block.gasLimit, 'gasLimit'),
    gasUsed: bigintOf(block.gasUsed, 'gasUsed'),
    transactions: listOf(block.transactions, 'transactions').map((hash) => bytesField(hash, 32, 'transaction')),
  };
}

/** A chain that gives no bloom filter: one that rules nothing out. */
const fullBloom: Hex = `0x${'f'.repeat(512)}`;

/** Reads the header a subscription brings. @throws RpcUnavailableError when it is malformed */
export function readHead(answer: unknown): Head {
  const block = fieldsOf(answer, 'header');
  const bloom = block.logsBloom;
  return {
    number: numberOf(block.number, 'number'),
    hash: bytesField(block.hash, 32, 'hash'),
    parentHash: bytesField(block.parentHash, 32, 'parentHash'),
    timestamp: numberOf(block.timestamp, 'timestamp'),
    logsBloom: bloom === undefined || bloom === null ? fullBloom : bytesField(bloom, 256, 'logsBloom'),
  };
}
