import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { Contract, type EventLog, JsonRpcProvider } from 'ethers';
import type { World } from './world.ts';

/** A commitment on the canonical chain, in the fields of a receipt. */
export type Commitment = {
  readonly transaction_hash: string;
  readonly user_address: string;
  readonly set_cid: string;
  readonly object_cid: string;
  readonly timestamp: string;
  readonly chain_id: number;
};

/** Every commitment of the tenants' objects on the chain, read by ethers: the oracle of what is recorded. Strangers write to the contract, too. */
export async function commitmentsOnChain({ connection, tenants }: World): Promise<readonly Commitment[]> {
  const provider = new JsonRpcProvider(connection.rpcUrl, undefined, { staticNetwork: true });
  try {
    const contract = new Contract(connection.contractAddress, commitmentServiceAbi, provider);
    const accounts = tenants.map(({ address }) => address);
    const logs = [
      ...(await contract.queryFilter(contract.filters.AddSetObject!(accounts))),
      ...(await contract.queryFilter(contract.filters.AddObject!(accounts))),
    ] as EventLog[];
    const times = new Map<number, string>();
    for (const number of new Set(logs.map((log) => log.blockNumber))) {
      const block = await provider.getBlock(number);
      times.set(number, new Date((block?.timestamp ?? 0) * 1000).toISOString().replace('.000Z', '+00:00'));
    }
    return logs.map((log) => ({
      transaction_hash: log.transactionHash,
      user_address: String(log.args.user),
      set_cid: String(log.args.setCid ?? `0x${'0'.repeat(64)}`),
      object_cid: String(log.args.objectCid),
      timestamp: times.get(log.blockNumber) ?? '',
      chain_id: connection.chainId,
    }));
  } finally {
    provider.destroy();
  }
}
