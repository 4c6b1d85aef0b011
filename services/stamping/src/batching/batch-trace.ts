import { beginSteps, mostLinks, sampledOf, type Tracing } from '@indelible/service-runtime';
import type { WaitingStamp } from '../decisions/compose-batch.ts';

/** The trace of a batch. A batch serves many stamps, so it has its own, linked with those of its sampled stamps. */
export type BatchTrace = {
  /** Stored with the batch, since its transaction gets into a block later. Null unless one of its stamps is sampled. */
  readonly traceparent: string | null;
  /** Trace context for a stamp's steps after submission. */
  after(traceparent: string): string;
  /** The first broadcast, which ends the submission. */
  broadcast<Outcome extends string>(batch: BroadcastBatch, send: () => Promise<Outcome>): Promise<Outcome>;
};

type BroadcastBatch = {
  readonly batchId: string;
  readonly nonce: number;
  readonly items: number;
  readonly transaction: { readonly hash: string };
};

export const noBatchTrace: BatchTrace = {
  traceparent: null,
  after: (traceparent) => traceparent,
  broadcast: (_batch, send) => send(),
};

export function beginBatchTrace(tracing: Tracing, stamps: readonly Pick<WaitingStamp, 'traceparent'>[]): BatchTrace {
  const sampled = sampledOf(tracing, contextsOf(stamps));
  if (sampled.length === 0) return noBatchTrace;
  const span = tracing.begin(undefined, { name: 'batch', links: sampled.slice(0, mostLinks) });
  if (span === undefined) return noBatchTrace;
  const steps = beginSteps(tracing, sampled, { name: 'submit', links: [span.traceparent] });
  return {
    traceparent: span.traceparent,
    after: steps.after,
    async broadcast({ batchId, nonce, items, transaction }, send) {
      const attributes = { 'indelible.batch.id': batchId, 'indelible.transaction.hash': transaction.hash };
      const sending = tracing.begin(span.traceparent, { name: 'broadcast', kind: 'client', attributes });
      try {
        const outcome = await send();
        sending?.end({ 'indelible.broadcast.outcome': outcome });
        return outcome;
      } catch (error) {
        sending?.end({}, 'failed');
        throw error;
      } finally {
        steps.end(attributes);
        span.end({ ...attributes, 'indelible.batch.items': items, 'indelible.batch.nonce': nonce });
      }
    },
  };
}

function* contextsOf(stamps: readonly Pick<WaitingStamp, 'traceparent'>[]): Iterable<string | null> {
  for (const { traceparent } of stamps) yield traceparent;
}
