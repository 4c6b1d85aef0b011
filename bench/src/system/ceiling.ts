import { randomBytes } from 'node:crypto';
import { ensureContract, setLocalBalance } from '@indelible/cli/provisioning';
import { createRpc } from '@indelible/ethereum';
import { createOperatorKeys } from '@indelible/ethereum/custody';
import { hexOfBytes } from '@indelible/identifiers';
import { type SideServer, startServer } from '../children/child.ts';
import type { Stranger } from '../load/ethers.ts';
import type { StampTarget } from '../load/stamp-audit.ts';

const balance = 10n ** 24n;

export async function addStranger(rpcUrl: string): Promise<Stranger> {
  const rpc = createRpc({ urls: [rpcUrl], timeoutMs: 10_000 });
  try {
    const keys = createOperatorKeys({ seed: randomBytes(32) });
    const [{ operator }, lane] = [keys, keys.lane(0)];
    for (const { address } of [operator, lane]) await setLocalBalance(rpc, address, balance);
    const { address: contract } = await ensureContract({ rpc, operator, lanes: [lane] });
    const chain = { rpcUrl, chainId: await rpc.chainId(), contract, user: lane.address };
    return { chain, privateKey: hexOfBytes(lane.privateKey) };
  } finally {
    rpc.close();
  }
}

/** Starts the process that batches in memory; it answers POST /stamps of one CID like the service, without a key. */
export async function startCeiling(
  rpcUrl: string,
  signal: AbortSignal,
): Promise<SideServer & { readonly target: StampTarget }> {
  const stranger = await addStranger(rpcUrl);
  const server = await startServer('ceiling', stranger, signal);
  return { ...server, target: { rootUrl: server.url, apiKey: 'none', chain: stranger.chain } };
}
