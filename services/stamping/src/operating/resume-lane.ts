import { getTransactionCount } from '@indelible/ethereum';
import { bytesOfHex } from '@indelible/identifiers';
import { finalBlock } from '../restoring/lane-authority.ts';
import { type LaneKey, type LanePlace, LaneRefusedError } from './lane-place.ts';

/**
 * Lets a lane whose draining was not finished take batches again; one that was never drained is unchanged.
 * @throws LaneRefusedError when its rest was sent, or about to be: no batch has its last nonce, and while no final
 *   block has used it, a reorg could leave a gap that blocks the lane's later transactions
 */
export async function resumeLane(
  { database, rpc, chainId }: Pick<LanePlace, 'database' | 'rpc' | 'chainId'>,
  lane: LaneKey,
): Promise<void> {
  const address = bytesOfHex(lane.address);
  const used = await getTransactionCount(rpc, lane.address, await finalBlock(rpc, chainId));
  await database.transaction(async (client) => {
    const { rows } = await client.query<{ emptied: boolean }>(
      `select next_nonce > coalesce((select max(nonce) + 1 from batches where lane = $1), $2) as emptied
       from lanes where lane = $1 and draining for update`,
      [address, used],
    );
    if (rows[0]?.emptied)
      throw new LaneRefusedError(`lane ${lane.index} was emptied and stays closed: use another, by a higher LANES`);
    await client.query('update lanes set draining = false where lane = $1 and draining', [address]);
  });
}
