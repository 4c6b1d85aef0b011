import type { Client } from '@indelible/postgres';
import { revertDelegations } from '../accounts/delegations.ts';
import { reopenNonces } from '../batching/reopen-nonces.ts';
import { chooseBatches, mostReverted, planRevert } from '../decisions/plan-revert.ts';
import { announceWork } from '../work-channel.ts';
import { readBatchesAbove, readCollectionsAbove, readStampsOf } from './read-reverted.ts';
import { writeRevert } from './write-revert.ts';

/**
 * Takes back what blocks above the ancestor confirmed, newest first, as much as one transaction should (I4). The stored
 * transactions are broadcast again unchanged: with the same nonces and items they can be included again, but only once
 * (I3).
 * @returns whether nothing above the ancestor is left; until then call it again before handling any other fact
 */
export async function revertBlocks(
  client: Client,
  { chainId, ancestor, finalized }: { readonly chainId: number; readonly ancestor: number; readonly finalized: number },
): Promise<{ readonly stamps: number; readonly done: boolean }> {
  const newest = await readBatchesAbove(client, { chainId, ancestor, withFinal: ancestor < finalized });
  const { chosen: batchIds, areAll } = chooseBatches(newest);
  const stamps = await readStampsOf(client, chainId, batchIds);
  const collections = areAll ? await readCollectionsAbove(client, ancestor) : [];
  const plan = planRevert({ batchIds, stamps, collections }, new Date().toISOString());
  await writeRevert(client, plan);
  const done = areAll && collections.length < mostReverted.collections;
  if (done) {
    await reopenNonces(client, chainId, ancestor);
    await revertDelegations(client, ancestor);
  }
  await announceWork(client, 'rebroadcast');
  return { stamps: plan.confirmedStamps, done };
}
