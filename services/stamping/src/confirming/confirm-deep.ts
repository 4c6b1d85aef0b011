import type { ConfirmationDepth } from '@indelible/ethereum';
import type { Client } from '@indelible/postgres';
import type { Tracing } from '@indelible/service-runtime';
import type { OpenOutcome } from './chain-outcome.ts';
import { confirmCollections } from './collection-queries.ts';
import { confirmStamps } from './confirmed-stamps.ts';
import type { Cursor } from './cursor.ts';
import { finalizeBatches } from './finalize-batches.ts';
import { noteConfirmed, recordCollections } from './record-confirmed.ts';

/** So many stamps, and so many collections, are confirmed or made final in one transaction. */
export const mostAtOnce = 2_000;

/** The last block whose stamps count as confirmed; undefined when being in a block is enough, and nothing is left to do. */
function confirmedUpTo({ position, safe, finalized }: Cursor, confirmation: ConfirmationDepth): number | undefined {
  if (confirmation === 'safe') return safe;
  if (confirmation === 'finalized') return finalized;
  return confirmation === 1 || position === undefined ? undefined : position.number - confirmation + 1;
}

/**
 * Confirms what has become deep enough (I1), then makes final what has: as much of it as one transaction should. It follows
 * from the cursor alone, so whatever a crash leaves undone is done with the next fact.
 * @param cursors before and after the facts of the transaction; with `more`, an earlier one left something to do
 * @returns whether nothing is left to do
 */
export async function confirmDeep(
  client: Client,
  chain: { readonly chainId: number; readonly confirmation: ConfirmationDepth; readonly tracing: Tracing },
  cursors: { readonly before: Cursor; readonly after: Cursor; readonly more: boolean },
  outcome: OpenOutcome,
): Promise<boolean> {
  const { before, after, more } = cursors;
  const upTo = confirmedUpTo(after, chain.confirmation);
  if (upTo !== undefined && (more || upTo !== confirmedUpTo(before, chain.confirmation))) {
    const collections = await confirmCollections(client, upTo, mostAtOnce);
    outcome.replies.push(...(await recordCollections(client, chain.chainId, collections)));
    const stamps = await confirmStamps(client, chain.chainId, upTo, mostAtOnce);
    await noteConfirmed(client, stamps, outcome, { tracing: chain.tracing, block: undefined });
    if (collections.length === mostAtOnce || stamps.length === mostAtOnce) return false;
  }
  if (!more && after.finalized === before.finalized) return true;
  return finalizeBatches(client, chain.chainId, after.finalized, mostAtOnce, outcome);
}
