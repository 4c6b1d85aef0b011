import { bytesOfHex } from '@indelible/identifiers';
import { type LaneKey, type LanePlace, LaneRefusedError } from './lane-place.ts';

/**
 * A lane whose draining was not finished takes batches again; one that was never drained is left as it is.
 * @throws LaneRefusedError when what it had left was sent away: its last nonce is no batch's, so it stays closed
 */
export async function resumeLane({ database }: Pick<LanePlace, 'database'>, lane: LaneKey): Promise<void> {
  const address = bytesOfHex(lane.address);
  await database.transaction(async (client) => {
    const { rows } = await client.query<{ emptied: boolean }>(
      `select next_nonce > coalesce((select max(nonce) + 1 from batches where lane = $1), next_nonce) as emptied
       from lanes where lane = $1 and draining for update`,
      [address],
    );
    if (rows[0]?.emptied)
      throw new LaneRefusedError(`lane ${lane.index} was emptied and stays closed: use another, by a higher LANES`);
    await client.query('update lanes set draining = false where lane = $1 and draining', [address]);
  });
}
