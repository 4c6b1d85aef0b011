import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { expect } from '@jest/globals';
import { Contract, type EventLog, JsonRpcProvider, Transaction } from 'ethers';
import type { Receipt } from '../../e2e/support/client.ts';
import type { CrashStack } from './crash-stack.ts';

/** Reads the chain by ethers, which shares no code with the services. */
async function onChain<Result>(
  { connection }: Pick<CrashStack, 'connection'>,
  read: (provider: JsonRpcProvider, contract: Contract) => Promise<Result>,
): Promise<Result> {
  const provider = new JsonRpcProvider(connection.rpcUrl, undefined, { staticNetwork: true });
  try {
    return await read(provider, new Contract(connection.contractAddress, commitmentServiceAbi, provider));
  } finally {
    provider.destroy();
  }
}

/** The identity has one commitment on the chain, and the receipt matches its block (I1, I2). */
export async function expectOneCommitment(running: Pick<CrashStack, 'connection'>, receipt: Receipt): Promise<void> {
  await onChain(running, async (provider, contract) => {
    const logs = (await contract.queryFilter(
      contract.filters.AddSetObject!(receipt.user_address, receipt.set_cid, receipt.object_cid),
    )) as EventLog[];
    expect(logs).toHaveLength(1);
    const [log] = logs as [EventLog];
    const block = await provider.getBlock(log.blockNumber);
    expect(block?.hash).toBe(log.blockHash);
    expect(receipt).toEqual({
      transaction_hash: log.transactionHash,
      user_address: log.args.user,
      set_cid: log.args.setCid,
      object_cid: log.args.objectCid,
      timestamp: new Date(Number(block?.timestamp) * 1000).toISOString().replace('.000Z', '+00:00'),
      chain_id: running.connection.chainId,
    });
  });
}

/** How many commitments each of the objects has on the chain. */
export function commitmentsOf(
  running: Pick<CrashStack, 'connection'>,
  objectCids: readonly string[],
): Promise<Record<string, number>> {
  return onChain(running, async (_, contract) => {
    const logs = (await contract.queryFilter(contract.filters.AddSetObject!())) as EventLog[];
    const counts = Object.fromEntries(objectCids.map((cid) => [cid, 0]));
    for (const log of logs) {
      const cid = String(log.args.objectCid);
      if (cid in counts) counts[cid] = (counts[cid] ?? 0) + 1;
    }
    return counts;
  });
}

/**
 * Whatever was sent is stored, and all transactions of one lane's nonce have the same items (I3): those sent, by
 * anyone, and those stored. The chain has nothing of a lane that is not stored.
 */
export async function expectHonestLanes(running: CrashStack): Promise<void> {
  const { rows } = await running.pool.query<{ raw: Buffer }>('select raw from stamping.transactions');
  const stored = new Set(rows.map(({ raw }) => `0x${raw.toString('hex')}`));
  const sent = new Set(running.broadcasts());
  expect([...sent].filter((raw) => !stored.has(raw))).toEqual([]);

  const itemsOf = new Map<string, string>();
  const lanes = new Set<string>();
  const hashes = new Set<string>();
  for (const raw of stored) {
    const { from, nonce, to, data, hash } = Transaction.from(raw);
    const place = `${from}:${nonce}`;
    expect(itemsOf.get(place) ?? `${to}:${data}`).toBe(`${to}:${data}`);
    itemsOf.set(place, `${to}:${data}`);
    lanes.add(String(from));
    hashes.add(String(hash));
  }
  await onChain(running, async (provider) => {
    const head = await provider.getBlockNumber();
    for (let number = 1; number <= head; number++)
      for (const { from, hash } of (await provider.getBlock(number, true))?.prefetchedTransactions ?? [])
        if (lanes.has(from)) expect(hashes).toContain(hash);
  });
}
