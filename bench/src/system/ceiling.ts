import { join } from 'node:path';
import { createRpc } from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { StampedChain } from '../load/stamp-jobs.ts';
import { deployOwnContract } from './own-contract.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';

export type CeilingSettings = {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contract: Hex;
  /** Of a lane with funds, which writes for itself. */
  readonly privateKey: Hex;
  readonly lingerMs: number;
  readonly maxItems: number;
  readonly maxInFlight: number;
};

/** Stamping's own defaults. */
const batching = { lingerMs: 15, maxItems: 3_000, maxInFlight: 16 };

/** Someone with funds and a contract of their own on the system's chain, so that no service reads their logs. */
export type Stranger = { readonly chain: StampedChain; readonly privateKey: Hex };

export async function addStranger(rpcUrl: string): Promise<Stranger> {
  const rpc = createRpc({ urls: [rpcUrl], timeoutMs: 10_000 });
  try {
    const { address, lane } = await deployOwnContract(rpc);
    const chain = { rpcUrl, chainId: await rpc.chainId(), contract: address, user: lane.address };
    return { chain, privateKey: hexOfBytes(lane.privateKey) };
  } finally {
    rpc.close();
  }
}

/** Starts the process that batches in memory; it answers POST /stamps of one CID like the service, whoever asks. */
export async function startCeiling(
  rpcUrl: string,
  signal: AbortSignal,
): Promise<SideProcess & { readonly chain: StampedChain }> {
  const { chain, privateKey } = await addStranger(rpcUrl);
  const settings: CeilingSettings = {
    ...batching,
    rpcUrl,
    chainId: chain.chainId,
    contract: chain.contract,
    privateKey,
  };
  return { ...(await startSideProcess(join(import.meta.dirname, 'ceiling-process.ts'), settings, signal)), chain };
}
