import type { ConfirmationDepth } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { followDelegations } from '../accounts/delegations.ts';
import { grantRevoked } from '../accounts/unserviceable-accounts.ts';
import { announceWork } from '../work-channel.ts';
import type { OpenOutcome } from './chain-outcome.ts';
import { confirmCollections, includeCollections, noteStandingCollections } from './collection-queries.ts';
import { failWaitingStamps } from './fail-stamps.ts';
import { includeBatches, includeStamps } from './inclusion-queries.ts';
import { noteConfirmed, recordCollections } from './record-confirmed.ts';

/** Takes in what a block, or a part of it, says of our batches, collections, accounts and stamps (I1). */
export async function appendBlock(
  client: Client,
  {
    chainId,
    operator,
    confirmation,
  }: { readonly chainId: number; readonly operator: Hex; readonly confirmation: ConfirmationDepth },
  block: BlockAppended,
  outcome: OpenOutcome,
): Promise<void> {
  if (block.logs.length === 0) return;
  const delegations = await followDelegations(client, block, operator);
  const batches = await includeBatches(client, block);
  await includeCollections(client, block);
  for (const account of delegations.revoked) {
    // What is left of more than a transaction should end is ended by the sweep.
    const { replies } = await failWaitingStamps(client, account, grantRevoked);
    outcome.replies.push(...replies);
  }
  if (delegations.granted || batches.batches > 0) await announceWork(client);
  const atOnce = confirmation === 1;
  const { matched, confirmed, standing } = await includeStamps(client, block, atOnce);
  if (matched !== batches.objectLogs)
    outcome.unmatched.push(`block ${block.number} part ${block.part}: ${batches.objectLogs} logs, ${matched} stamps`);
  await noteStandingCollections(client, block, standing);
  if (atOnce)
    outcome.replies.push(
      ...(await recordCollections(client, chainId, await confirmCollections(client, block.number, mostCollections))),
    );
  await noteConfirmed(client, confirmed, outcome);
}

/** A part of a block has fewer logs. */
const mostCollections = 10_000;
