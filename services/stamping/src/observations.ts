import type { RpcEvent } from '@indelible/ethereum';
import type { Logger } from '@indelible/service-runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { SignedBatch } from './batching/sign-batch.ts';
import type { ChainOutcome } from './confirming/chain-outcome.ts';
import type { RequestOutcome } from './requests/handle-stamp-requests.ts';

/** A line of the log stays short under load: a request can then be followed by its stamp's id. */
function few(requestIds: readonly string[]): readonly string[] {
  const distinct = new Set<string>();
  for (const id of requestIds) if (distinct.add(id).size === 50) break;
  return [...distinct];
}

/** What stamping tells of itself: each business event is one log line and one metric together; labels are few. */
export function createObservations(logger: Logger, metrics: Registry) {
  const registers = [metrics];
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
  const balance = new Gauge({
    name: 'indelible_stamping_lane_balance_ether',
    help: 'What a lane has to pay with, in units of 10^18 wei',
    labelNames: ['lane'],
    registers,
  });
  const paused = new Gauge({
    name: 'indelible_stamping_lane_low_funds',
    help: 'Whether a lane cannot pay the largest batch, or is below its reserve: to be alerted of',
    labelNames: ['lane'],
    registers,
  });
  const unserved = new Gauge({
    name: 'indelible_stamping_unserved_batches',
    help: 'Batches under way of lanes that no key serves: to be alerted of',
    registers,
  });
  const rpcEvents = new Counter({
    name: 'indelible_stamping_rpc_events_total',
    help: 'Faults, hedges, and nodes taken out and back, by node',
    labelNames: ['kind', 'host'],
    registers,
  });

  return {
    decided({ counts, requestIds }: Pick<RequestOutcome, 'counts' | 'requestIds'>): void {
      for (const [decision, count] of Object.entries(counts)) if (count > 0) requests.inc({ decision }, count);
      if (requestIds.length > 0) logger.info({ ...counts, requestIds: few(requestIds) }, 'requests decided');
    },
    signed(batch: SignedBatch, lane: string): void {
      batches.inc();
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
        },
        'batch signed',
      );
    },
    chainRead(outcome: Omit<ChainOutcome, 'replies'>): void {
      if (outcome.confirmed > 0) {
        stamps.inc({ outcome: 'confirmed' }, outcome.confirmed);
        logger.info({ stamps: outcome.confirmed, requestIds: few(outcome.requestIds) }, 'stamps confirmed');
      }
      if (outcome.reverted > 0) {
        stamps.inc({ outcome: 'reverted' }, outcome.reverted);
        logger.warn({ stamps: outcome.reverted }, 'stamps reverted by a reorg');
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
        logger.error({ where }, 'logs of our transactions match no stamp');
      }
    },
    laneBalance(lane: string, wei: bigint, low: boolean): void {
      balance.set({ lane }, Number(wei) / 1e18);
      paused.set({ lane }, low ? 1 : 0);
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
