import type { RpcEvent } from '@indelible/ethereum';
import { type Logger, stageDurations, traceIdsForLog, weightedHistogram } from '@indelible/service-runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { showBacklog } from './backlog-metrics.ts';
import type { Backlog } from './batching/backlog.ts';
import type { FundsShares } from './batching/funds-shares.ts';
import type { SignedBatch } from './batching/sign-batch.ts';
import type { ChainOutcome } from './confirming/chain-outcome.ts';
import { createFeeMetrics } from './fee-metrics.ts';
import { showFundsShares } from './funds-share-metrics.ts';
import type { RequestOutcome } from './requests/handle-stamp-requests.ts';

/** Keeps log lines short under load: a request can also be followed by its stamp's id. */
function few(requestIds: readonly string[]): readonly string[] {
  const distinct = new Set<string>();
  for (const id of requestIds) if (distinct.add(id).size === 50) break;
  return [...distinct];
}

/** A stamp takes a few blocks, whatever the chain. */
const blockBuckets = [1, 2, 3, 5, 8, 12, 20, 30, 60, 120, 300, 1_000];

export type Telemetry = ReturnType<typeof createTelemetry>;

/** Each business event's log line and metric, together; labels are few. */
export function createTelemetry(
  logger: Logger,
  metrics: Registry,
  {
    blockTimeMs,
    backlog,
    shares,
  }: { readonly blockTimeMs: number; readonly backlog: () => Promise<Backlog>; readonly shares: FundsShares },
) {
  const registers = [metrics];
  showBacklog(metrics, backlog);
  showFundsShares(metrics, shares);
  const stages = stageDurations(metrics, ['decide', 'batch', 'broadcast', 'block', 'confirm', 'reply', 'finalize']);
  const confirmedAfter = weightedHistogram(metrics, {
    name: 'indelible_stamping_confirmation_blocks',
    help: 'From the request of a stamp to its confirmation, in block times of the chain',
    buckets: blockBuckets,
  });
  const fees = createFeeMetrics(metrics);
  const requests = new Counter({
    name: 'indelible_stamping_requests_total',
    help: 'Requests decided, by decision',
    labelNames: ['decision'],
    registers,
  });
  const batches = new Counter({ name: 'indelible_stamping_batches_total', help: 'Batches signed', registers });
  const items = new Histogram({
    name: 'indelible_stamping_batch_items',
    help: 'Items of a batch',
    buckets: [1, 3, 10, 30, 100, 300, 1_000, 3_000],
    registers,
  });
  const stamps = new Counter({
    name: 'indelible_stamping_stamps_total',
    help: 'Stamps confirmed and reverted',
    labelNames: ['outcome'],
    registers,
  });
  const unmatched = new Counter({
    name: 'indelible_stamping_unmatched_logs_total',
    help: 'Blocks with logs of our transactions that are no stamp: each is a fault to look into',
    registers,
  });
  const dropped = new Counter({
    name: 'indelible_stamping_chain_facts_dropped_total',
    help: 'Facts of the chain that do not follow what was read: what is missing is requested again',
    registers,
  });
  const broadcastFaults = new Counter({
    name: 'indelible_stamping_broadcast_faults_total',
    help: 'Broadcasts a node refused, by kind of fault',
    labelNames: ['fault'],
    registers,
  });
  const replaced = new Counter({
    name: 'indelible_stamping_replacements_total',
    help: 'Transactions replaced by one that offers more',
    registers,
  });
  const ungranted = new Gauge({
    name: 'indelible_stamping_lane_ungranted',
    help: 'Whether the operator has not granted a lane, which takes nothing before: to be alerted of',
    labelNames: ['lane'],
    registers,
  });
  const signerFaults = new Counter({
    name: 'indelible_stamping_signer_faults_total',
    help: 'Signatures that the signer of a lane did not make, by kind of fault',
    labelNames: ['lane', 'fault'],
    registers,
  });
  const unserved = new Gauge({
    name: 'indelible_stamping_unserved_batches',
    help: 'Batches under way of lanes that no key serves',
    registers,
  });
  const rpcEvents = new Counter({
    name: 'indelible_stamping_rpc_events_total',
    help: 'Faults, hedges, and nodes taken out and back, by node',
    labelNames: ['kind', 'host'],
    registers,
  });

  return {
    /** @param requestedAt of the stamps among them */
    decided(
      { counts, requestIds, traceparents }: Omit<RequestOutcome, 'replies'>,
      requestedAt: Iterable<string> = [],
    ): void {
      const now = Date.now();
      for (const time of requestedAt) stages.decide((now - Date.parse(time)) / 1_000);
      for (const [decision, count] of Object.entries(counts)) if (count > 0) requests.inc({ decision }, count);
      if (requestIds.length > 0)
        logger.info({ ...counts, requestIds: few(requestIds), ...traceIdsForLog(traceparents) }, 'requests decided');
    },
    signed(batch: SignedBatch, lane: string, mostWei: bigint): void {
      batches.inc();
      for (const seconds of batch.waitedSeconds) stages.batch(seconds);
      fees.signed(mostWei, batch.waitedSeconds.length);
      items.observe(batch.items);
      const { batchId, nonce, transaction } = batch;
      logger.info(
        {
          batchId,
          lane,
          nonce,
          transactionHash: transaction.hash,
          items: batch.items,
          requestIds: few(batch.requestIds),
          ...traceIdsForLog(batch.traceparents),
        },
        'batch signed',
      );
    },
    broadcast: (stamps: number, seconds: number): void => stages.broadcast(seconds, stamps),
    replied: (replies: number, seconds: number): void => stages.reply(seconds, replies),
    chainRead(outcome: Omit<ChainOutcome, 'replies'>): void {
      const now = Date.now() / 1_000;
      for (const { seconds, stamps } of outcome.included) stages.block(seconds, stamps);
      for (const { seconds, stamps } of outcome.finalized) stages.finalize(seconds, stamps);
      for (const { requestedAt, blockTime } of outcome.confirmations) {
        stages.confirm(now - blockTime);
        confirmedAfter(((now - requestedAt) * 1_000) / blockTimeMs);
      }
      if (outcome.confirmed > 0) {
        stamps.inc({ outcome: 'confirmed' }, outcome.confirmed);
        const { confirmed, requestIds, traceparents } = outcome;
        logger.info(
          { stamps: confirmed, requestIds: few(requestIds), ...traceIdsForLog(traceparents) },
          'stamps confirmed',
        );
      }
      if (outcome.reverted > 0) {
        stamps.inc({ outcome: 'reverted' }, outcome.reverted);
        logger.warn({ stamps: outcome.reverted }, 'Stamps reverted by a reorg');
      }
      if (outcome.dropped > 0) {
        dropped.inc(outcome.dropped);
        logger.warn(
          { facts: outcome.dropped, missing: outcome.missing },
          'Facts of the chain do not follow the last ones',
        );
      }
      for (const where of outcome.unmatched) {
        unmatched.inc();
        logger.error({ where }, 'Logs of our transactions match no stamp');
      }
    },
    laneBalance: fees.balance,
    laneReleased: fees.forget,
    laneGrant(lane: string, missing: boolean): void {
      ungranted.set({ lane }, missing ? 1 : 0);
    },
    signerFault(lane: string, fault: string): void {
      signerFaults.inc({ lane, fault });
    },
    unserved(batches: number): void {
      unserved.set(batches);
    },
    replaced(): void {
      replaced.inc();
    },
    rpcEvent(event: RpcEvent): void {
      rpcEvents.inc({ kind: event.kind, host: event.host });
    },
    broadcastFault(fault: string): void {
      broadcastFaults.inc({ fault });
    },
  };
}
