import type { Hex } from '@indelible/identifiers';
import type { Connection } from '@indelible/launcher';
import type { StampedChain } from '../load/stamp-audit.ts';

/** What a load needs to stamp at the service, and to look its stamps up. */
export function serviceTarget(connection: Connection): {
  readonly rootUrl: string;
  readonly apiKey: string;
  readonly chain: StampedChain;
} {
  const { rootUrl, apiKey, rpcUrl, chainId, contractAddress, userAddress } = connection;
  const user = userAddress.toLowerCase() as Hex;
  return { rootUrl, apiKey, chain: { rpcUrl, chainId, contract: contractAddress, user } };
}
