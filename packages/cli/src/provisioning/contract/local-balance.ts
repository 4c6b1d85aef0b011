import type { Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';

/** Gives an account of a local anvil chain a balance; no other chain knows the method. */
export async function setLocalBalance(rpc: Rpc, address: Hex, wei: bigint): Promise<void> {
  await rpc.call('anvil_setBalance', [address, `0x${wei.toString(16)}`]);
}
