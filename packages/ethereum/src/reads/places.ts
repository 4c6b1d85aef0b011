import type { Hex } from '@indelible/identifiers';
import { RpcUnavailableError } from '../rpc/errors.ts';
import type { Rpc, RpcCallOptions, RpcOutcome } from '../rpc/port.ts';
import { readBlock } from './blocks.ts';
import { numberOf } from './fields.ts';

/** A block by number and hash. */
export type BlockPlace = { readonly number: number; readonly hash: Hex };

/**
 * The next nonce at the chain's end, and a block that has it: one request, so from one node.
 * @throws RpcUnavailableError, RpcAnswerError
 */
export async function getNonceAtHead(
  rpc: Rpc,
  address: Hex,
  options?: RpcCallOptions,
): Promise<{ readonly nonce: number; readonly head: BlockPlace }> {
  // The block is read last: it may be newer than the nonce, not older.
  const [count, block] = await rpc.batch(
    [
      { method: 'eth_getTransactionCount', params: [address, 'latest'] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ],
    options,
  );
  const head = readBlock(resultOf(block));
  if (head === null) throw new RpcUnavailableError('the node has no latest block');
  return { nonce: numberOf(resultOf(count), 'transaction count'), head: { number: head.number, hash: head.hash } };
}

/**
 * Whether all these blocks are of one node's chain: one request, so that all answers are of the same chain.
 * @throws RpcUnavailableError, RpcAnswerError
 */
export async function holdsBlocks(rpc: Rpc, places: readonly BlockPlace[], options?: RpcCallOptions): Promise<boolean> {
  const outcomes = await rpc.batch(
    places.map(({ number }) => ({ method: 'eth_getBlockByNumber', params: [`0x${number.toString(16)}`, false] })),
    options,
  );
  return places.every(({ hash }, i) => readBlock(resultOf(outcomes[i]))?.hash === hash);
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
  if (outcome?.ok === true) return outcome.result;
  throw outcome?.error ?? new RpcUnavailableError('the node left an answer out');
}
