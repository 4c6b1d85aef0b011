import { deployedCode } from '@indelible/commitment-contract';
import { getBlockByNumber, getCode, isRpcError, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';

export type ContractReport = {
  readonly chainId: number;
  readonly address: Hex;
  /** `ours`: to the byte what this release would deploy. */
  readonly code: 'none' | 'ours' | 'other';
  /** The first block with code at the address: START_BLOCK of the chain-indexer. Null when the node no longer has old states. */
  readonly firstBlock: number | null;
};

/** Compares the code at the address with ours. @throws RpcUnavailableError, RpcAnswerError */
export async function examineContract(rpc: Rpc, address: Hex): Promise<ContractReport> {
  const chainId = await rpc.chainId();
  const code = await getCode(rpc, address, 'latest');
  if (code === '0x') return { chainId, address, code: 'none', firstBlock: null };
  const isOurs = code === deployedCode({ chainId, contract: address });
  return { chainId, address, code: isOurs ? 'ours' : 'other', firstBlock: await firstBlockOf(rpc, address) };
}

/** By halving: a contract without `selfdestruct` has code from its block on. */
async function firstBlockOf(rpc: Rpc, address: Hex): Promise<number | null> {
  const head = await getBlockByNumber(rpc, 'latest');
  if (head === null) return null;
  let without = -1;
  let having = head.number;
  while (having - without > 1) {
    const middle = without + Math.floor((having - without) / 2);
    try {
      if ((await getCode(rpc, address, middle)) === '0x') without = middle;
      else having = middle;
    } catch (error) {
      // A node that keeps no old states.
      if (isRpcError(error) && (error.meaning.kind === 'behind' || error.meaning.kind === 'permanent')) return null;
      throw error;
    }
  }
  return having;
}
