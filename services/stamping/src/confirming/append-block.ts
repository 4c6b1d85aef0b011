import type { ConfirmationDepth } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import type { Tracing } from '@indelible/service-runtime';
import { planBlock } from '../decisions/plan-block.ts';
import { addConfirmed, type OpenOutcome } from './chain-outcome.ts';
import { beginConfirming, beginIncluding } from './confirmation-trace.ts';
import { readBlock } from './read-block.ts';
import { writeBlock } from './write-block.ts';

/** Applies a block, or a part of it, to our batches, collections, accounts and stamps (I1): reads, plans, writes. */
export async function appendBlock(
  client: Client,
  chain: { readonly operator: Hex; readonly confirmation: ConfirmationDepth; readonly tracing: Tracing },
  block: BlockAppended,
  traceparent: string | undefined,
  outcome: OpenOutcome,
): Promise<void> {
  if (block.logs.length === 0) return;
  const { operator, tracing } = chain;
  const confirms = chain.confirmation === 1;
  const plan = planBlock(block, await readBlock(client, block), { operator, confirms });
  const traced = { number: block.number, hash: block.hash, traceparent };
  const confirming = beginConfirming(tracing, plan.confirmed, traced);
  outcome.steps.push(...beginIncluding(tracing, plan.traced, traced), confirming);
  outcome.replies.push(...(await writeBlock(client, plan, { confirms, traceOf: confirming.after })));
  outcome.included.push(...plan.included);
  if (plan.unmatched !== undefined) outcome.unmatched.push(plan.unmatched);
  addConfirmed(outcome, plan.confirmed);
}
