import { createRpc, type Rpc } from '@indelible/ethereum';
import type { ChainSettings } from '../operating-config.ts';
import { SettingsError } from '../settings-error.ts';

const rpcTimeoutMs = 10_000;

/** Lends a client of the chain to `use`. @throws SettingsError when the endpoint is of another chain than CHAIN_ID */
export async function withChain<Result>(
  settings: ChainSettings,
  use: (rpc: Rpc, chainId: number) => Promise<Result>,
): Promise<Result> {
  if (settings.rpcUrls.length === 0) throw new SettingsError('run `npm start` first, or set RPC_URL');
  const rpc = createRpc({ urls: settings.rpcUrls, timeoutMs: rpcTimeoutMs });
  try {
    const chainId = await rpc.chainId();
    if (settings.chainId !== undefined && settings.chainId !== chainId)
      throw new SettingsError(`the RPC endpoint is of chain ${chainId}, but CHAIN_ID is ${settings.chainId}`);
    return await use(rpc, chainId);
  } finally {
    rpc.close();
  }
}
