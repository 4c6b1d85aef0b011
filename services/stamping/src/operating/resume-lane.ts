import { getTransactionCount } from '@indelible/ethereum';
import { bytesOfHex } from '@indelible/identifiers';
import { finalBlock } from '../restoring/lane-authority.ts';
import { type LaneKey, type LanePlace, LaneRefusedError } from './lane-place.ts';

/**
 * A lane whose draining was not finished takes batches again; one that was never drained is left as it is.
 * @throws LaneRefusedError when what it had left was sent away, or was to be: its last nonce is no batch's, and while no final block has used it, a reorg
 * could leave a gap behind which nothing of the lane is taken
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
