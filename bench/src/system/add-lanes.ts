import { join } from 'node:path';
import { ensureContract, setLocalBalance } from '@indelible/contract-deployment';
import { createOperatorKeys, readOrCreateSeedFile } from '@indelible/custody';
import { createRpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { System } from './start-system.ts';

const balance = 10n ** 24n;

/** Gives so many of the operator's lanes funds, and the contract's leave to write, on the local chain. */
export async function addLanes({ connection, secretsDirectory }: System, count: number): Promise<void> {
  const keys = createOperatorKeys({ seed: await readOrCreateSeedFile(join(secretsDirectory, 'operator.seed')) });
  if (keys.operator.address !== connection.operatorAddress.toLowerCase())
    throw new Error('the seed is not that of the operator');
  const lanes = Array.from({ length: count }, (_, index) => keys.lane(index));
  const rpc = createRpc({ urls: [connection.rpcUrl], timeoutMs: 10_000 });
  try {
    for (const { address } of lanes) await setLocalBalance(rpc, address, balance);
    const knownAddress = connection.contractAddress.toLowerCase() as Hex;
    await ensureContract({ rpc, operator: keys.operator, lanes, knownAddress });
  } finally {
    rpc.close();
  }
}
