import type { Hex } from '@indelible/identifiers';
import { StampsFinalized } from '@indelible/messages';
import { batchStream } from '../batch-stream.ts';
import type { PlannedEvent } from './planned-event.ts';

export type FinalBatch = {
  readonly batchId: string;
  /** Of its stream, with the event. */
  readonly version: number;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Its confirmed stamps, in batch order. */
  readonly stampIds: readonly string[];
};

/** A batch without confirmed stamps has nothing to report. */
export const eventsOfFinalized = (batches: readonly FinalBatch[], chainId: number): readonly PlannedEvent[] =>
  batches
    .filter(({ stampIds }) => stampIds.length > 0)
    .map(({ version, stampIds, ...batch }) => ({
      contract: StampsFinalized,
      data: { ...batch, chainId, stampIds: [...stampIds] } satisfies StampsFinalized,
      stream: batchStream(batch.batchId),
      version,
    }));
