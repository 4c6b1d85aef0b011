import { type BatchLimits, encodeCommitBatch } from '@indelible/commitment-contract';
import { type Fees, likelyPriceOf } from '@indelible/ethereum';
import { appendEvents, type NewEvent, newEvent } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import { maxSubmittedStamps, StampsSubmitted } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { failpoint, type Tracing } from '@indelible/service-runtime';
import { batchStream } from '../batch-stream.ts';
import {
  composeBatch,
  itemsAfterReverts,
  type WaitingCollection,
  type WaitingStamp,
} from '../decisions/compose-batch.ts';
import { spendingOfBatch } from '../decisions/spending-of-batch.ts';
import { schema } from '../schema.ts';
import { assignCollections } from './batch-queries.ts';
import { beginBatchTrace } from './batch-trace.ts';
import type { HeldLane } from './lane-lease.ts';
import { type StoredBatch, storeSigned } from './store-signed.ts';

export type CommitSettings = {
  readonly chainId: number;
  readonly contract: Hex;
  readonly maxItems: number;
  readonly limits: BatchLimits;
  readonly tracing: Tracing;
};

export type SignedItems = StoredBatch & {
  readonly items: number;
  /** How long each stamp waited for a batch, in seconds. */
  readonly waitedSeconds: readonly number[];
  /** HTTP requests whose stamps it carries. */
  readonly requestIds: readonly string[];
  readonly traceparents: readonly string[];
};

/** Signs what fits as one transaction. Undefined when nothing does. @throws LeaseLostError, SignerError */
export async function signCommits(
  client: Client,
  signing: CommitSettings,
  lease: HeldLane,
  fees: Fees,
  claimed: {
    readonly stamps: readonly WaitingStamp[];
    readonly collections: readonly WaitingCollection[];
    readonly revertedBatches: number;
  },
): Promise<SignedItems | undefined> {
  const { stamps, collections, revertedBatches } = claimed;
  if (stamps.length === 0 && collections.length === 0) return undefined;
  const composed = composeBatch(stamps, collections, {
    ...signing.limits,
    items: itemsAfterReverts(signing.maxItems, revertedBatches),
  });
  if (composed.runs.length === 0) return undefined;
  const trace = beginBatchTrace(signing.tracing, composed.stamps);
  // A reverted batch may have had too little gas for the chain.
  const gasLimit = Math.min(composed.size.gas * (1 + revertedBatches), signing.limits.gas);
  const batch = await storeSigned(client, signing, lease, fees, {
    ...{ kind: 'commit', data: encodeCommitBatch(composed.runs, composed.objectCids), gasLimit },
    ...{ stamps: composed.stamps, spending: spendingOfBatch(composed.runs, gasLimit, likelyPriceOf(fees)), trace },
  });
  await assignCollections(client, batch.batchId, composed.collectionIds);
  await appendEvents(
    client,
    schema,
    submittedEvents(composed.stamps, { ...batch, chainId: signing.chainId, lane: lease.lane }),
  );
  failpoint('stamping.batch-signing');
  return {
    ...batch,
    items: composed.stamps.length + composed.collectionIds.length,
    waitedSeconds: composed.stamps.map(({ waitedSeconds }) => waitedSeconds),
    requestIds: composed.stamps.flatMap(({ requestId }) => requestId ?? []),
    traceparents: composed.stamps.flatMap(({ traceparent }) => traceparent ?? []),
  };
}

function submittedEvents(
  stamps: readonly WaitingStamp[],
  { batchId, chainId, lane, nonce, transaction, trace }: StoredBatch & { chainId: number; lane: Hex },
): NewEvent[] {
  const submittedAt = new Date().toISOString();
  const parts = Math.ceil(stamps.length / maxSubmittedStamps);
  return Array.from({ length: parts }, (_, i) =>
    newEvent(
      StampsSubmitted,
      {
        ...{ batchId, chainId, lane, nonce, transactionHash: transaction.hash, submittedAt, part: i + 1, parts },
        stamps: stamps
          .slice(i * maxSubmittedStamps, (i + 1) * maxSubmittedStamps)
          .map(
            ({
              stampId,
              requestId,
              account,
              setCid,
              objectCid,
              collectionName,
              clientRef,
              attempt,
              reversions,
              traceparent,
            }) => ({
              ...{ stampId, requestId, account, setCid, objectCid, collectionName, clientRef, attempt, reversions },
              ...(traceparent === null ? {} : { traceparent: trace.after(traceparent) }),
            }),
          ),
      },
      { stream: batchStream(batchId), version: i + 1 },
    ),
  );
}
