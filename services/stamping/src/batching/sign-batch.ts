import { type BatchLimits, encodeCommitBatch, encodeGrantBySignature } from '@indelible/commitment-contract';
import { type Fees, likelyPriceOf, type SignedTransaction, signTransactionBy } from '@indelible/ethereum';
import { appendEvents, type NewEvent, newEvent } from '@indelible/event-store';
import { type Hex, newId } from '@indelible/identifiers';
import { maxSubmittedStamps, StampsSubmitted } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import type { Tracing } from '@indelible/service-runtime';
import { failpoint } from '@indelible/service-runtime';
import {
  composeBatch,
  itemsAfterReverts,
  type WaitingCollection,
  type WaitingStamp,
} from '../decisions/compose-batch.ts';
import { spendingOfBatch } from '../decisions/spending-of-batch.ts';
import { schema } from '../schema.ts';
import { assignCollections, assignGrant, type NewBatch, storeBatch } from './batch-queries.ts';
import { type BatchTrace, beginBatchTrace, noBatchTrace } from './batch-trace.ts';
import { grantGasLimit } from './chain-limits.ts';
import {
  claimCollections,
  claimGrant,
  claimRevertedCollection,
  claimRevertedStamps,
  claimStamps,
  type Outlook,
  unknownOutlook,
} from './claim-queries.ts';
import { type HeldLane, takeNonce } from './lane-lease.ts';

const maxCollectionsABatch = 200;

export type Signing = {
  readonly database: Database;
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  readonly maxItems: number;
  readonly limits: BatchLimits;
  /** Accounts of which nothing is taken now. */
  readonly leftOut: readonly Hex[];
  readonly tracing: Tracing;
};

/** What lanes take in turns, so that much of the one does not hold the others back. */
const turns = ['grants', 'reverted', 'fresh'] as const;
export type Turn = (typeof turns)[number];

export const turnAfter = (turn: Turn): Turn => turns[(turns.indexOf(turn) + 1) % turns.length] as Turn;

export type SignedBatch = {
  readonly batchId: string;
  readonly turn: Turn;
  readonly nonce: number;
  readonly gasLimit: number;
  readonly transaction: SignedTransaction;
  readonly items: number;
  /** Of its stamps: for how long each waited for a batch, in seconds. */
  readonly waitedSeconds: readonly number[];
  /** Of the HTTP requests whose stamps it carries. */
  readonly requestIds: readonly string[];
  readonly traceparents: readonly string[];
  readonly trace: BatchTrace;
};

/**
 * Takes what waits, signs it as one transaction of the lane and stores transaction, nonce and items together: nothing
 * is broadcast that is not stored, and a nonce is used for one set of items only (I3). Undefined when nothing waits, or nothing of it fits.
 * A signature that is made for a transaction which is then not stored is seen by nobody, and its nonce is free.
 * @throws LeaseLostError, SignerError
 */
export function signNextBatch(
  signing: Signing,
  lease: HeldLane,
  fees: Fees,
  outlook: Outlook = unknownOutlook,
  first: Turn = 'grants',
): Promise<SignedBatch | undefined> {
  return signing.database.transaction(async (client) => {
    const sign = {
      grants: async () => (outlook.grants ? signGrant(client, signing, lease, fees) : undefined),
      reverted: async () => (outlook.reverted ? signReverted(client, signing, lease, fees) : undefined),
      fresh: async () => signFresh(client, signing, lease, fees, outlook),
    };
    for (let turn = first, tried = 0; tried < turns.length; turn = turnAfter(turn), tried++) {
      const batch = await sign[turn]();
      if (batch !== undefined) return { ...batch, turn };
    }
    return undefined;
  });
}

type Signed = Omit<SignedBatch, 'turn'>;
type Stored = Omit<Signed, 'items' | 'waitedSeconds' | 'requestIds' | 'traceparents'>;

async function signGrant(client: Client, signing: Signing, lease: HeldLane, fees: Fees): Promise<Signed | undefined> {
  const grant = await claimGrant(client);
  if (grant === undefined) return undefined;
  const data = encodeGrantBySignature({
    user: grant.account,
    delegate: signing.operator,
    nonce: grant.nonce,
    signature: grant.signature,
  });
  const call = { kind: 'grant', data, gasLimit: grantGasLimit, stamps: [], spending: [], trace: noBatchTrace } as const;
  const batch = await storeSigned(client, signing, lease, fees, call);
  await assignGrant(client, batch.batchId, grant.account);
  return { ...batch, items: 1, waitedSeconds: [], requestIds: [], traceparents: [] };
}

/** What was in reverted batches comes in small ones, a collection alone: so the culprit is soon alone as well. */
async function signReverted(
  client: Client,
  signing: Signing,
  lease: HeldLane,
  fees: Fees,
): Promise<Signed | undefined> {
  const claimed = await claimRevertedStamps(client, signing.chainId, signing.maxItems, signing.leftOut);
  if (claimed.stamps.length > 0) return signCommits(client, signing, lease, fees, { ...claimed, collections: [] });
  const collection = await claimRevertedCollection(client, signing.leftOut);
  return signCommits(client, signing, lease, fees, { ...collection, stamps: [] });
}

async function signFresh(
  client: Client,
  signing: Signing,
  lease: HeldLane,
  fees: Fees,
  outlook: Outlook,
): Promise<Signed | undefined> {
  const { chainId, maxItems, leftOut } = signing;
  const stamps = outlook.stamps ? await claimStamps(client, chainId, maxItems, leftOut) : [];
  const collections = outlook.collections ? await claimCollections(client, maxCollectionsABatch, leftOut) : [];
  return signCommits(client, signing, lease, fees, { stamps, collections, revertedBatches: 0 });
}

async function signCommits(
  client: Client,
  signing: Signing,
  lease: HeldLane,
  fees: Fees,
  claimed: {
    readonly stamps: readonly WaitingStamp[];
    readonly collections: readonly WaitingCollection[];
    readonly revertedBatches: number;
  },
): Promise<Signed | undefined> {
  const { stamps, collections, revertedBatches } = claimed;
  if (stamps.length === 0 && collections.length === 0) return undefined;
  const composed = composeBatch(stamps, collections, {
    ...signing.limits,
    items: itemsAfterReverts(signing.maxItems, revertedBatches),
  });
  if (composed.runs.length === 0) return undefined;
  const trace = beginBatchTrace(signing.tracing, composed.stamps);
  // What reverted may have had too little gas for the chain's prices.
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
  { batchId, chainId, lane, nonce, transaction, trace }: Stored & { chainId: number; lane: Hex },
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

/** Where a batch's events stand in the event store. */
export const batchStream = (batchId: string): string => `batch-${batchId}`;

async function storeSigned(
  client: Client,
  signing: Signing,
  lease: HeldLane,
  fees: Fees,
  call: Pick<NewBatch, 'kind' | 'gasLimit' | 'stamps' | 'spending'> & {
    readonly data: Uint8Array | Hex;
    readonly trace: BatchTrace;
  },
): Promise<Stored> {
  const nonce = await takeNonce(client, lease);
  const { chainId, contract } = signing;
  const unsigned = { chainId, nonce, to: contract, data: call.data, gasLimit: call.gasLimit };
  const transaction = await signTransactionBy(unsigned, fees, lease.sign);
  const batchId = newId();
  const { kind, gasLimit, stamps, spending, trace } = call;
  const { traceparent } = trace;
  const batch = { id: batchId, chainId, lane: lease.lane, nonce, kind, gasLimit, stamps, spending, traceparent };
  await storeBatch(client, batch, transaction, fees);
  return { batchId, nonce, gasLimit, transaction, trace };
}
