import type { AddressedReply } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import type { SettledReceipt } from '../batching/settled-receipt.ts';
import {
  confirmCollections,
  loadUnrecordedCollections,
  mostCollections,
  noteStandingCollections,
} from './collection-queries.ts';
import { recordCollections } from './record-confirmed.ts';

/**
 * Creates a batch's collections that have no log because their sets were on the chain before they were registered, as
 * after the loss of a database. They are created as of the batch's block, which the caller found deep enough.
 */
export async function createStandingCollections(
  client: Client,
  batch: { readonly id: string; readonly chainId: number },
  receipt: SettledReceipt,
): Promise<readonly AddressedReply[]> {
  const ids = await loadUnrecordedCollections(client, batch.id);
  if (ids.length === 0) return [];
  const { transactionHash, blockNumber: number, blockTime: time, blockHash: hash } = receipt;
  await noteStandingCollections(
    client,
    { number, time, hash },
    ids.map((collectionId) => ({ collectionId, transactionHash })),
  );
  return recordCollections(client, batch.chainId, await confirmCollections(client, number, mostCollections));
}
