import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { notFinal } from './lane-lease.ts';
import { revertedCollections, unrecorded } from './waiting-conditions.ts';

/** What work a lane may find; it claims only what is present. */
export type Outlook = {
  readonly grants: boolean;
  /** Stamps and collections of reverted batches. */
  readonly reverted: boolean;
  readonly stamps: boolean;
  readonly collections: boolean;
};

/** Anything may wait: for a claim without a prior look. */
export const unknownOutlook: Outlook = { grants: true, reverted: true, stamps: true, collections: true };

export type LaneOutlook = Outlook & {
  /** Batches that wait for a block for the first time. */
  readonly inFlight: number;
  /** Batches whose nonce is used, waiting for a final block to settle them. */
  readonly unsettled: number;
  /** All batches in no block, including those that a reorg took back. */
  readonly unincluded: number;
  /** `drained`: it takes nothing new, and all its batches are final; `draining`: some are not. */
  readonly closed: 'no' | 'draining' | 'drained';
};

/** Counts the lane's batches in no block, and finds what waits for a batch: one query, each part on its own index. */
export async function lookAround(client: Pick<Database, 'query'>, lane: Hex): Promise<LaneOutlook> {
  const { rows } = await client.query<LaneOutlook>({
    name: 'look-around',
    text: `select own.*,
             exists (select from accounts where granted_block is null and grant_batch_id is null) as grants,
             (select true from waiting_stamps where reverted_batches > 0
              order by reverted_batches desc, seq limit 1) is not null
               or exists (select from collections where ${revertedCollections}) as reverted,
             (select true from waiting_stamps where reverted_batches = 0
              order by account, seq limit 1) is not null as stamps,
             exists (select from collections where ${unrecorded}) as collections,
             (select case when not l.draining then 'no'
                when ${notFinal('l.lane')} then 'draining'
                else 'drained' end from lanes l where l.lane = $1) as closed
           from (select count(*) filter (where nonce_used_block is null and taken_back_at is null) as "inFlight",
                   count(*) filter (where nonce_used_block is not null) as unsettled, count(*) as unincluded
                 from batches where lane = $1 and status = 'signed') as own`,
    values: [bytesOfHex(lane)],
  });
  return rows[0] as LaneOutlook;
}
