import type { Hex } from '@indelible/identifiers';
import { type Commitment, differingFields } from './compare-commitment.ts';

/** A stamp that names the batch; its place on the chain is null until it is in a block. */
export type BatchStamp = Omit<
  Commitment,
  'blockNumber' | 'logIndex' | 'blockHash' | 'blockTime' | 'transactionHash'
> & {
  readonly id: string;
  readonly status: string;
  readonly logIndex: number | null;
  readonly blockHash: Hex | null;
  readonly blockTime: number | null;
  readonly transactionHash: Hex | null;
};

export type BatchOnChain = {
  readonly blockHash: Hex;
  readonly succeeded: boolean;
  readonly commitments: readonly Commitment[];
};

export type Told = { readonly subject: string; readonly what: string; readonly remedy: string };

const reorged =
  'nothing if the chain has just turned: the chain-indexer notifies stamping, which puts it on the chain again; if it stays, see the check chain';
const receiptWrong =
  'take its receipt back: put its row right by the chain (its last StampConfirmed event shows what was reported)';
const strayed =
  'find what signed it: each object of a transaction must be one stamp. Keep the logs of stamping, and report it';

/**
 * A batch recorded as included ↔ the chain: each commitment of its transaction is one stamp, and each of its stamps is
 * a commitment with the same receipt fields (I1, I2, I3, I4).
 * @param onChain what the canonical chain has of its transactions; undefined when nothing
 */
export function compareBatch(
  batch: { readonly id: string; readonly blockHash: Hex | null },
  stamps: readonly BatchStamp[],
  onChain: BatchOnChain | undefined,
): readonly Told[] {
  const subject = `batch ${batch.id}`;
  if (onChain === undefined)
    return [
      {
        subject,
        what: `counts as included with ${stamps.length} stamps, none of its transactions is on the chain`,
        remedy: reorged,
      },
    ];
  if (onChain.blockHash !== batch.blockHash)
    return [
      { subject, what: `is in block ${onChain.blockHash}, and counts as in ${batch.blockHash}`, remedy: reorged },
    ];
  if (!onChain.succeeded && stamps.length > 0)
    return [
      { subject, what: `reverted on the chain, and ${stamps.length} stamps count as in it`, remedy: receiptWrong },
    ];
  const byLog = Map.groupBy(stamps, (stamp) => stamp.logIndex);
  const strays = onChain.commitments.flatMap((commitment) => {
    const claims = byLog.get(commitment.logIndex)?.length ?? 0;
    if (claims === 1) return [];
    const text = claims === 0 ? 'no stamp' : `${claims} stamps`;
    return [
      {
        subject,
        what: `its commitment of ${commitment.objectCid} (log ${commitment.logIndex}) is ${text}`,
        remedy: strayed,
      },
    ];
  });
  const places = new Map(onChain.commitments.map((commitment) => [commitment.logIndex, commitment]));
  return [...strays, ...stamps.flatMap((stamp) => faultOf(stamp, places.get(stamp.logIndex ?? -1)))];
}

function faultOf(stamp: BatchStamp, commitment: Commitment | undefined): Told[] {
  const subject = `stamp ${stamp.id}`;
  const { logIndex, blockHash, blockTime, transactionHash } = stamp;
  if (logIndex === null || blockHash === null || blockTime === null || transactionHash === null)
    return [{ subject, what: `is ${stamp.status} without a place in its batch's block`, remedy: strayed }];
  if (commitment === undefined)
    return [
      {
        subject,
        what: `its receipt names log ${logIndex} of ${transactionHash}, which is no commitment`,
        remedy: receiptWrong,
      },
    ];
  const fields = differingFields({ ...stamp, logIndex, blockHash, blockTime, transactionHash }, commitment);
  if (fields.length === 0) return [];
  return [
    {
      subject,
      what: `${fields.join(', ')} of its receipt differ${fields.length === 1 ? 's' : ''} from the chain`,
      remedy: receiptWrong,
    },
  ];
}
