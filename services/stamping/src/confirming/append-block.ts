import type { ConfirmationDepth } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import type { Tracing } from '@indelible/service-runtime';
import { followDelegations } from '../accounts/delegations.ts';
import { grantRevoked } from '../accounts/unserviceable-accounts.ts';
import { announceWork } from '../work-channel.ts';
import type { OpenOutcome } from './chain-outcome.ts';
import { confirmCollections, includeCollections, noteStandingCollections } from './collection-queries.ts';
import { beginIncluding } from './confirmation-trace.ts';
import { failWaitingStamps } from './fail-stamps.ts';
import { countIncluded, includeBatches } from './include-batches.ts';
import { includeStamps } from './include-stamps.ts';
import { noteConfirmed, recordCollections } from './record-confirmed.ts';

/** Takes in what a block, or a part of it, says of our batches, collections, accounts and stamps (I1). */
export async function appendBlock(
  client: Client,
  {
    chainId,
    operator,
    confirmation,
    tracing,
  }: {
    readonly chainId: number;
    readonly operator: Hex;
    readonly confirmation: ConfirmationDepth;
    readonly tracing: Tracing;
  },
  block: BlockAppended,
  traceparent: string | undefined,
  outcome: OpenOutcome,
): Promise<void> {
  if (block.logs.length === 0) return;
  const delegations = await followDelegations(client, block, operator);
  const batches = await includeBatches(client, block);
  const traced = { number: block.number, hash: block.hash, traceparent };
  outcome.steps.push(...beginIncluding(tracing, batches.traced, traced));
  await includeCollections(client, block);
  for (const account of delegations.revoked) {
    // What is left of more than a transaction should end is ended by the sweep.
    const { replies } = await failWaitingStamps(client, account, grantRevoked);
    outcome.replies.push(...replies);
  }
  if (delegations.granted || batches.batches > 0) await announceWork(client);
  const atOnce = confirmation === 1;
  const { matched, confirmed, since, standing } = await includeStamps(client, block, atOnce);
  if (matched !== batches.objectLogs && (await countIncluded(client, block)) !== batches.objectLogs)
    outcome.unmatched.push(`block ${block.number} part ${block.part}: ${batches.objectLogs} logs, ${matched} stamps`);
  outcome.included.push(...since);
  await noteStandingCollections(client, block, standing);
  if (atOnce)
    outcome.replies.push(
      ...(await recordCollections(client, chainId, await confirmCollections(client, block.number, mostCollections))),
    );
  await noteConfirmed(client, confirmed, outcome, { tracing, block: traced });
}

/** A part of a block has fewer logs. */
const mostCollections = 10_000;
