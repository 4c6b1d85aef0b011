import { commitmentServiceAbi } from '@indelible/commitment-contract';
import type { Connection } from '@indelible/launcher';
import { Contract, type EventLog, JsonRpcProvider } from 'ethers';
import type { Receipt } from '../../e2e/support/client.ts';

/** The receipts of every commitment on the canonical chain, by object CID, as the chain alone tells them. */
export async function receiptsOfChain(connection: Connection): Promise<Map<string, Receipt[]>> {
  const provider = new JsonRpcProvider(connection.rpcUrl, undefined, { staticNetwork: true });
  try {
    const contract = new Contract(connection.contractAddress, commitmentServiceAbi, provider);
    const logs = [
      ...(await contract.queryFilter(contract.filters.AddSetObject!())),
      ...(await contract.queryFilter(contract.filters.AddObject!())),
    ] as EventLog[];
    const times = new Map<number, number>();
    const found = new Map<string, Receipt[]>();
    for (const log of logs) {
      if (!times.has(log.blockNumber)) times.set(log.blockNumber, (await log.getBlock()).timestamp);
      const objectCid = String(log.args.objectCid);
      const receipt: Receipt = {
        transaction_hash: log.transactionHash,
        user_address: String(log.args.user),
        set_cid: String(log.args.setCid ?? `0x${'0'.repeat(64)}`),
        object_cid: objectCid,
        timestamp: new Date((times.get(log.blockNumber) ?? 0) * 1000).toISOString().replace('.000Z', '+00:00'),
        chain_id: connection.chainId,
      };
      found.set(objectCid, [...(found.get(objectCid) ?? []), receipt]);
    }
    return found;
  } finally {
    provider.destroy();
  }
}
