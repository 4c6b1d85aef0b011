import type { ConfirmationDepth } from '@indelible/ethereum';
import type { Client } from '@indelible/postgres';
import type { Tracing } from '@indelible/service-runtime';
import { confirmedUpTo } from '../decisions/confirmed-up-to.ts';
import { addConfirmed, type OpenOutcome } from './chain-outcome.ts';
import { confirmCollections } from './collection-queries.ts';
import { beginConfirming } from './confirmation-trace.ts';
import { confirmStamps } from './confirmed-stamps.ts';
import type { Cursor } from './cursor.ts';
import { finalizeBatches } from './finalize-batches.ts';
import { recordConfirmed } from './record-confirmed.ts';

/** The most stamps, and collections, confirmed or made final in one transaction. */
export const mostAtOnce = 2_000;

/**
 * Confirms what is now deep enough (I1), then makes final what is final, as much as one transaction should. Depends on
 * the cursor alone, so the next fact completes what a crash leaves undone. One statement each finds and marks the rows,
 * since nothing else needs a decision.
 * @param cursors before and after the facts of the transaction; with `more`, an earlier one left work to do
 * @returns whether nothing is left to do
 */
export async function confirmDeep(
  client: Client,
  chain: { readonly chainId: number; readonly confirmation: ConfirmationDepth; readonly tracing: Tracing },
  cursors: { readonly before: Cursor; readonly after: Cursor; readonly more: boolean },
  outcome: OpenOutcome,
): Promise<boolean> {
  const { chainId, confirmation, tracing } = chain;
  const { before, after, more } = cursors;
  const upTo = confirmedUpTo(depthsOf(after), confirmation);
  if (upTo !== undefined && (more || upTo !== confirmedUpTo(depthsOf(before), confirmation))) {
    const collections = await confirmCollections(client, upTo, mostAtOnce);
    const stamps = await confirmStamps(client, chainId, upTo, mostAtOnce);
    const confirming = beginConfirming(tracing, stamps, undefined);
    outcome.steps.push(confirming);
    outcome.replies.push(...(await recordConfirmed(client, chainId, { stamps, collections }, confirming.after)));
    addConfirmed(outcome, stamps);
    if (collections.length === mostAtOnce || stamps.length === mostAtOnce) return false;
  }
  if (!more && after.finalized === before.finalized) return true;
  return finalizeBatches(client, chainId, after.finalized, mostAtOnce, outcome);
}

const depthsOf = ({ position, safe, finalized }: Cursor) => ({ head: position?.number, safe, finalized });
