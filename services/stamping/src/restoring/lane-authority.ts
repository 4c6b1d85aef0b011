import {
  decodeLaneOperator,
  decodeNonces,
  encodeLaneOperator,
  encodeNonces,
  MalformedAnswerError,
} from '@indelible/commitment-contract';
import {
  type BlockTag,
  ethCall,
  getBlockByNumber,
  profileOf,
  type Rpc,
  RpcAnswerError,
  RpcUnavailableError,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';

/**
 * Whether a lane's transactions in no block may still write for the operator: the lane has the grant in the last final
 * block, or was granted since, or a pool has its grant. Each grant spends a consent of the lane, so equal counts of
 * consents mean that there was none, and no reorg can restore one. Without the contract in the last final block nothing
 * is final, and it may.
 */
export async function mayStillWrite(
  { rpc, chainId, contract, operator }: { rpc: Rpc; chainId: number; contract: Hex; operator: Hex },
  lane: Hex,
): Promise<boolean> {
  const block = await finalBlock(rpc, chainId);
  const call = (data: Hex, at: BlockTag | number): Promise<Hex> => ethCall(rpc, { to: contract, data }, at);
  try {
    if (decodeLaneOperator(await call(encodeLaneOperator({ lane }), block)) === operator) return true;
    const consents = encodeNonces({ user: lane });
    return decodeNonces(await call(consents, block)) !== decodeNonces(await call(consents, 'pending'));
  } catch (error) {
    if (error instanceof MalformedAnswerError) return true;
    throw error;
  }
}

/** Number of the last final block; 0 without one. */
export async function lastFinalBlock(rpc: Rpc, chainId: number): Promise<number> {
  const last = await finalBlock(rpc, chainId);
  if (typeof last === 'number') return last;
  try {
    return (await getBlockByNumber(rpc, last))?.number ?? 0;
  } catch (error) {
    // Some nodes return this while no block is final.
    if (error instanceof RpcAnswerError) return 0;
    throw error;
  }
}

/** The node's name of the last final block. */
export async function finalBlock(rpc: Rpc, chainId: number): Promise<BlockTag | number> {
  const { finality } = profileOf(chainId);
  if (finality.kind === 'tag') return 'finalized';
  const head = await getBlockByNumber(rpc, 'latest');
  if (head === null) throw new RpcUnavailableError('the node has no latest block');
  return Math.max(0, head.number - finality.depth);
}
