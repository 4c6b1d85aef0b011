import { encodeGrantBySignature } from '@indelible/commitment-contract';
import type { Fees } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import { assignGrant } from './batch-queries.ts';
import { noBatchTrace } from './batch-trace.ts';
import { grantGasLimit } from './chain-limits.ts';
import { claimCollections, claimRevertedCollection } from './claim-collections.ts';
import { claimGrant } from './claim-grant.ts';
import { claimRevertedStamps, claimStamps } from './claim-stamps.ts';
import type { HeldLane } from './lane-lease.ts';
import { type Outlook, unknownOutlook } from './look-around.ts';
import { type CommitSettings, type SignedItems, signCommits } from './sign-commits.ts';
import { storeSigned } from './store-signed.ts';

const maxCollectionsABatch = 200;

export type Signing = CommitSettings & {
  readonly database: Database;
  readonly operator: Hex;
  /** Accounts that nothing is signed for. */
  readonly leftOut: readonly Hex[];
};

/** Lanes take these in turns, so that a lot of one does not delay the others. */
const turns = ['grants', 'reverted', 'fresh'] as const;
export type Turn = (typeof turns)[number];

export const turnAfter = (turn: Turn): Turn => turns[(turns.indexOf(turn) + 1) % turns.length] as Turn;

export type SignedBatch = SignedItems & { readonly turn: Turn };

/**
 * Takes waiting items, signs them as one transaction of the lane and stores transaction, nonce and items together:
 * nothing is broadcast before it is stored, and a nonce is used for one set of items only (I3). Undefined when nothing
 * waits, or nothing fits. If storing fails, nobody sees the signature, and the nonce stays free.
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

async function signGrant(
  client: Client,
  signing: Signing,
  lease: HeldLane,
  fees: Fees,
): Promise<SignedItems | undefined> {
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

/** Items of reverted batches go into small batches, a collection alone, to isolate the culprit soon. */
async function signReverted(
  client: Client,
  signing: Signing,
  lease: HeldLane,
  fees: Fees,
): Promise<SignedItems | undefined> {
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
): Promise<SignedItems | undefined> {
  const { chainId, maxItems, leftOut } = signing;
  const stamps = outlook.stamps ? await claimStamps(client, chainId, maxItems, leftOut) : [];
  const collections = outlook.collections ? await claimCollections(client, maxCollectionsABatch, leftOut) : [];
  return signCommits(client, signing, lease, fees, { stamps, collections, revertedBatches: 0 });
}
