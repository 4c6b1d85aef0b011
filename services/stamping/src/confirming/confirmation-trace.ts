import { beginSteps, type Steps, sampledOf, type Tracing } from '@indelible/service-runtime';
import type { BlockPlan } from '../decisions/plan-block.ts';
import type { ConfirmedStamp } from '../decisions/report-confirmed.ts';

/** The block that confirms stamps, and the span in which the indexer read it. */
export type TracedBlock = { readonly number: number; readonly hash: string; readonly traceparent: string | undefined };

const ofBlock = (block: TracedBlock | undefined) =>
  block === undefined
    ? {}
    : {
        links: block.traceparent === undefined ? [] : [block.traceparent],
        attributes: { 'indelible.block.number': block.number, 'indelible.block.hash': block.hash },
      };

/** Confirming is a step in the trace of each sampled stamp. */
export const beginConfirming = (
  tracing: Tracing,
  stamps: readonly ConfirmedStamp[],
  block: TracedBlock | undefined,
): Steps => beginSteps(tracing, sampledOf(tracing, contextsOf(stamps)), { name: 'confirm', ...ofBlock(block) });

/** The span of a batch's transaction from its signature to its block. */
export const beginIncluding = (
  tracing: Tracing,
  transactions: BlockPlan['traced'],
  block: TracedBlock,
): { end(): void }[] =>
  transactions.flatMap(({ traceparent, signedAt, hash }) => {
    const { links, attributes } = ofBlock(block);
    const span = tracing.begin(traceparent, {
      name: 'transaction',
      ...(links === undefined ? {} : { links }),
      attributes: { ...attributes, 'indelible.transaction.hash': hash },
      startedAt: signedAt,
    });
    return span ?? [];
  });

function* contextsOf(stamps: readonly ConfirmedStamp[]): Iterable<string | null> {
  for (const { traceparent } of stamps) yield traceparent;
}
