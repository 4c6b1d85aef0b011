import { type BatchLimits, encodeCommitBatch, encodeGrantBySignature } from '@indelible/commitment-contract';
import { type Fees, type SignedTransaction, signTransactionWithFees } from '@indelible/ethereum';
import { appendEvents, newEvent } from '@indelible/event-store';
import { failpoint } from '@indelible/failpoints';
import { type Hex, newId } from '@indelible/identifiers';
import { StampsSubmitted } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import { composeBatch, itemsAfterReverts } from '../decisions/compose-batch.ts';
import { schema } from '../schema.ts';
import { assignCollections, assignGrant, insertBatch, type NewBatch, takeFromWaiting } from './batch-queries.ts';
import { claimCollections, claimGrant, claimStamps, type Outlook, unknownOutlook } from './claim-queries.ts';
import { type LaneLease, takeNonce } from './lane-lease.ts';

/** What a grantBySignature transaction may use; it needs about 80,000. */
const grantGasLimit = 150_000;
const maxCollectionsABatch = 200;

export type Signing = {
  readonly database: Database;
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  readonly maxItems: number;
  readonly limits: BatchLimits;
};

export type SignedBatch = {
  readonly batchId: string;
  readonly kind: 'commit' | 'grant';
  readonly nonce: number;
  readonly gasLimit: number;
  readonly transaction: SignedTransaction;
  readonly items: number;
  /** Of the HTTP requests whose stamps it carries. */
  readonly requestIds: readonly string[];
};

/**
 * Takes what waits, signs it as one transaction of the lane and stores transaction, nonce and items together: nothing
 * is broadcast that is not stored, and a nonce is used for one set of items only (I3). Undefined when nothing waits, or nothing of it fits.
 * @throws LeaseLostError
 */
export function signNextBatch(
  signing: Signing,
  lease: LaneLease & { readonly privateKey: Uint8Array },
  fees: Fees,
  outlook: Outlook & { readonly grantsFirst?: boolean } = unknownOutlook,
): Promise<SignedBatch | undefined> {
  return signing.database.transaction(async (client) => {
    const grant = async () => (outlook.grants ? await signGrant(client, signing, lease, fees) : undefined);
    const commits = () => signCommits(client, signing, lease, fees, outlook);
    return (outlook.grantsFirst ?? true) ? ((await grant()) ?? commits()) : ((await commits()) ?? grant());
  });
}

async function signGrant(
  client: Client,
  signing: Signing,
  lease: LaneLease & { readonly privateKey: Uint8Array },
  fees: Fees,
): Promise<SignedBatch | undefined> {
  const grant = await claimGrant(client);
  if (grant === undefined) return undefined;
  const data = encodeGrantBySignature({
    user: grant.account,
    delegate: signing.operator,
    nonce: grant.nonce,
    signature: grant.signature,
  });
  const call = { kind: 'grant', data, gasLimit: grantGasLimit, stampIds: [] } as const;
  const batch = await storeSigned(client, signing, lease, fees, call);
  await assignGrant(client, batch.batchId, grant.account);
  return { ...batch, items: 1, requestIds: [] };
}

async function signCommits(
  client: Client,
  signing: Signing,
  lease: LaneLease & { readonly privateKey: Uint8Array },
  fees: Fees,
  outlook: Outlook,
): Promise<SignedBatch | undefined> {
  const { stamps, revertedBatches } = await claimStamps(client, signing.chainId, signing.maxItems, outlook);
  const collections =
    revertedBatches > 0 || !outlook.collections ? [] : await claimCollections(client, maxCollectionsABatch);
  if (stamps.length === 0 && collections.length === 0) return undefined;
  const composed = composeBatch(stamps, collections, {
    ...signing.limits,
    items: itemsAfterReverts(signing.maxItems, revertedBatches),
  });
  if (composed.runs.length === 0) return undefined;
  const stampIds = composed.stamps.map(({ stampId }) => stampId);
  const batch = await storeSigned(client, signing, lease, fees, {
    kind: 'commit',
    data: encodeCommitBatch(composed.runs, composed.objectCids),
    // What reverted may have had too little gas for the chain's prices.
    gasLimit: Math.min(composed.size.gas * (1 + revertedBatches), signing.limits.gas),
    stampIds,
  });
  await takeFromWaiting(client, composed.stamps);
  await assignCollections(client, batch.batchId, composed.collectionIds);
  if (stampIds.length > 0)
    await appendEvents(client, schema, [
      newEvent(
        StampsSubmitted,
        {
          batchId: batch.batchId,
          chainId: signing.chainId,
          lane: lease.lane,
          nonce: batch.nonce,
          transactionHash: batch.transaction.hash,
          stampIds,
        },
        { stream: batchStream(batch.batchId), version: 1 },
      ),
    ]);
  failpoint('stamping.batch-signing');
  return {
    ...batch,
    items: stampIds.length + composed.collectionIds.length,
    requestIds: composed.stamps.flatMap(({ requestId }) => requestId ?? []),
  };
}

/** Where a batch's events stand in the event store. */
export const batchStream = (batchId: string): string => `batch-${batchId}`;

async function storeSigned(
  client: Client,
  signing: Signing,
  lease: LaneLease & { readonly privateKey: Uint8Array },
  fees: Fees,
  call: Pick<NewBatch, 'kind' | 'gasLimit' | 'stampIds'> & { readonly data: Uint8Array | Hex },
): Promise<Omit<SignedBatch, 'items' | 'requestIds'>> {
  const nonce = await takeNonce(client, lease);
  const { chainId, contract } = signing;
  const transaction = signTransactionWithFees(
    { chainId, nonce, to: contract, data: call.data, gasLimit: call.gasLimit },
    fees,
    lease.privateKey,
  );
  const batchId = newId();
  const { kind, gasLimit, stampIds } = call;
  const batch = { id: batchId, chainId, lane: lease.lane, nonce, kind, gasLimit, stampIds };
  await insertBatch(client, batch, transaction, fees);
  return { batchId, kind, nonce, gasLimit, transaction };
}
