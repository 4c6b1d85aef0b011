import { getTransactionCount } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { ChainPort } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { hex } from '../readers/survey-table.ts';
import { type Difference, type Survey, surveyAtOnce } from '../running/survey.ts';

type Row = { readonly lane: Hex; readonly next: number; readonly highest: number | null; readonly draining: boolean };

const foreign =
  "its key is used elsewhere: find by whom and move the lane's key away; what such a transaction committed is no stamp";

/** Each lane's nonces ↔ the chain's count: nothing is broadcast that is not stored (I3). */
export const surveyLanes = ({ reader, chain }: { reader: Reader; chain: ChainPort }): Survey =>
  surveyAtOnce('lanes', async () => {
    const known = await readLanes(reader, chain.chainId);
    const counts = new Map<Hex, number>();
    for (const { lane } of known) counts.set(lane, await getTransactionCount(chain.rpc, lane));
    // Read after the counts: what the chain counted by then was stored before.
    const lanes = await readLanes(reader, chain.chainId);
    const differences = lanes.flatMap((row) =>
      judgeLane(row, counts.get(row.lane)).map(
        (one): Difference => ({
          key: row.lane,
          subject: `lane ${row.lane}`,
          ...one,
        }),
      ),
    );
    return { looked: lanes.length, differences };
  });

const readLanes = (reader: Reader, chainId: number): Promise<Row[]> =>
  reader.query<Row>(
    `select ${hex('l.lane')} as lane, l.next_nonce as next, l.draining,
       (select b.nonce from stamping.batches b where b.lane = l.lane order by b.nonce desc limit 1) as highest
     from stamping.lanes l where l.chain_id = $1 order by l.lane`,
    [chainId],
  );

/** @param count the transactions that the chain has of the lane; undefined when it was not read */
export function judgeLane(
  { next, highest, draining }: Row,
  count: number | undefined,
): { readonly what: string; readonly remedy: string }[] {
  const faults = [];
  if (count !== undefined && count > next)
    faults.push({ what: `has sent ${count} transactions, only those below nonce ${next} are stored`, remedy: foreign });
  // The last nonces of a drained lane moved its remaining funds.
  const isEmptied = draining && highest !== null && highest + 1 < next;
  if (highest !== null && highest + 1 !== next && !isEmptied)
    faults.push({
      what: `its next nonce is ${next}, its last batch has ${highest}`,
      remedy: `a batch is missing: restore stamping.batches from a backup; never set the nonce by hand while the lane is leased`,
    });
  return faults;
}
