import type { Hex } from '@indelible/identifiers';
import type { Connection } from '@indelible/launcher';
import type { StampTarget } from '../load/stamp-audit.ts';

export function serviceTarget(connection: Connection): StampTarget {
  const { rootUrl, apiKey, rpcUrl, chainId, contractAddress: contract, userAddress } = connection;
  return { rootUrl, apiKey, chain: { rpcUrl, chainId, contract, user: userAddress.toLowerCase() as Hex } };
}
