import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { Contract, type ContractTransactionResponse, EventLog, JsonRpcProvider, Wallet } from 'ethers';
import type { WaitingStamp } from '../../../services/stamping/src/decisions/compose-batch.ts';
import { cpuOf, waitingStamps } from './committed-stamps.ts';
import type { CommitJob, CommitOutcome } from './part-jobs.ts';

/** As often as the other client looks; ethers' own 4 s would let it look at blocks late, and cost it less. */
const pollingIntervalMs = 100;
const gas = { transaction: 40_000, set: 30_000, stamp: 3_000 };

/** The same by ethers, as one would write it: nonce, gas limit and fees given, all sends before the first wait. */
export async function commitByEthers(job: CommitJob): Promise<CommitOutcome> {
  const { rpcUrl, chainId, stampsPerBatch, setCids } = job;
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, pollingInterval: pollingIntervalMs });
  try {
    const wallet = new Wallet(job.laneKey, provider);
    const contract = new Contract(job.contract, commitmentServiceAbi, wallet);
    const commitBatch = contract.getFunction('commitBatch');
    const waiting = waitingStamps(job);
    const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
    const gasLimit = gas.transaction + setCids.length * gas.set + stampsPerBatch * gas.stamp;
    const overrides = { gasLimit, maxFeePerGas, maxPriorityFeePerGas, type: 2, chainId };
    let nonce = await wallet.getNonce('pending');
    const spent = await cpuOf(async () => {
      const sent: { items: readonly WaitingStamp[]; response: ContractTransactionResponse }[] = [];
      for (const stamps of waiting) {
        const { runs, items } = grouped(stamps);
        const cids = items.map(({ objectCid }) => objectCid);
        const response = await commitBatch.send(runs, cids, { ...overrides, nonce: nonce++ });
        sent.push({ items, response });
      }
      await Promise.all(
        sent.map(async ({ items, response }) => {
          const receipt = await response.wait();
          match(items, receipt?.logs ?? []);
        }),
      );
    });
    return { stamps: job.batches * stampsPerBatch, ...spent };
  } finally {
    provider.destroy();
  }
}

/** A run a set, and the stamps in the order of the runs. */
function grouped(stamps: readonly WaitingStamp[]) {
  const bySet = Map.groupBy(stamps, ({ account, setCid }) => account + setCid);
  const groups = [...bySet.values()];
  const runs = groups.map((group) => {
    const [{ account: user, setCid }] = group as [WaitingStamp];
    return { user, count: group.length, newSet: false, setCid };
  });
  return { runs, items: groups.flat() };
}

function match(items: readonly WaitingStamp[], logs: readonly unknown[]): void {
  const events = logs.filter((log) => log instanceof EventLog && log.eventName === 'AddSetObject') as EventLog[];
  for (const [i, item] of items.entries()) {
    const args = events[i]?.args;
    if (args?.objectCid !== item.objectCid || args.setCid !== item.setCid || args.user.toLowerCase() !== item.account)
      throw new Error('a log is no stamp’s');
  }
  if (events.length !== items.length) throw new Error(`${events.length} logs for ${items.length} stamps`);
}
