import { getCode, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { SettingsError } from '../settings-error.ts';

/**
 * Makes sure that the endpoint serves that chain and the contract is there, before anything is signed for them.
 * @throws SettingsError when not; RpcUnavailableError or RpcAnswerError when the endpoint fails
 */
export async function checkChain(rpc: Rpc, at: { readonly chainId: number; readonly contract: Hex }): Promise<void> {
  const chainId = await rpc.chainId();
  if (chainId !== at.chainId)
    throw new SettingsError(`the RPC endpoint is of chain ${chainId}, but CHAIN_ID is ${at.chainId}`);
  if ((await getCode(rpc, at.contract)) === '0x')
    throw new SettingsError(`there is no contract at ${at.contract} on chain ${chainId}`);
}
