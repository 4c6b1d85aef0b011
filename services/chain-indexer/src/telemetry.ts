import { isRpcError, type RpcEvent, RpcUnavailableError } from '@indelible/ethereum';
import { type Logger, stageDurations } from '@indelible/service-runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Block } from './decisions/headers.ts';
import type { FollowObserver } from './following/follow-ports.ts';
import type { StepOutcome } from './following/follow-step.ts';
import { CursorMovedError, type FetchedHeader } from './following/ports.ts';

export type Telemetry = {
  readonly observer: FollowObserver;
  /** A new head was announced. */
  headAnnounced(head: Pick<FetchedHeader, 'number' | 'time'>): void;
  /** Seconds since the last new head. */
  headAge(seconds: number): void;
  stepDone(outcome: StepOutcome): void;
  followingFailed(error: unknown): void;
  endpointEvent(event: RpcEvent): void;
  /** This replica no longer leads: its figures are outdated. */
  leadLost(): void;
};

const reorgDepths = [1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 512, 1_024];

/** Logs and metrics of chain events. Only the leading replica has figures of the chain. */
export function createTelemetry(chainId: number, logger: Logger, registry: Registry): Telemetry {
  const labelNames = ['chain_id'] as const;
  const labels = { chain_id: String(chainId) };
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const head = gauge('indelible_chain_head_block', 'The newest block announced');
  const headTime = gauge('indelible_chain_head_timestamp_seconds', 'The time of the newest block announced');
  const headAge = gauge('indelible_chain_head_age_seconds', 'Since the last new block was announced');
  const indexed = gauge('indelible_chain_indexed_block', 'The newest block stored');
  const lagBlocks = gauge('indelible_chain_lag_blocks', 'Blocks announced and not stored yet');
  const lagSeconds = gauge(
    'indelible_chain_lag_seconds',
    'Chain time between the newest block stored and the newest announced',
  );
  const finalized = gauge('indelible_chain_finalized_block', 'The newest block announced as final');
  const safe = gauge('indelible_chain_safe_block', 'The newest block announced as safe or final');
  const states = new Gauge({
    name: 'indelible_chain_following',
    help: '1 for what the follower came to last: behind, full and halted need somebody',
    labelNames: ['chain_id', 'state'] as const,
    registers,
  });
  const blocks = counter('indelible_chain_blocks_total', 'Blocks stored');
  const logs = counter('indelible_chain_logs_total', 'Logs of the contract stored');
  const undecodable = counter(
    'indelible_chain_undecodable_logs_total',
    'Logs of the contract that no reader can decode: skipped',
  );
  const republished = counter('indelible_chain_republished_blocks_total', 'Blocks published again for consumers');
  const reorgs = counter('indelible_chain_reorgs_total', 'Reorgs published');
  const reverted = counter('indelible_chain_reverted_blocks_total', 'Blocks reverted by reorgs');
  const depths = new Histogram({
    name: 'indelible_chain_reorg_depth_blocks',
    help: 'Blocks reverted by one reorg',
    labelNames,
    buckets: reorgDepths,
    registers,
  });
  const finalReverted = counter(
    'indelible_chain_final_reverted_total',
    'Reorgs that reverted blocks announced as final',
  );
  const faults = new Counter({
    name: 'indelible_chain_faults_total',
    help: 'Interruptions of following, by kind',
    labelNames: ['chain_id', 'kind'] as const,
    registers,
  });
  const endpointFaults = new Counter({
    name: 'indelible_rpc_endpoint_faults_total',
    help: 'Faults of single RPC endpoints, which another may have made up for',
    labelNames: ['host', 'fault'] as const,
    registers,
  });
  const hedges = new Counter({
    name: 'indelible_rpc_hedged_reads_total',
    help: 'Reads sent to a second endpoint because the first was slow',
    labelNames: ['host', 'won'] as const,
    registers,
  });
  const { index } = stageDurations(registry, ['index']);
  // An alert on an increase needs a starting value.
  for (const each of [blocks, logs, undecodable, republished, reorgs, reverted, finalReverted]) each.inc(labels, 0);
  depths.zero(labels);
  const place = { head: 0, headTime: 0, indexed: 0, indexedTime: 0 };
  const showLag = (): void => {
    const behind = Math.max(0, place.head - place.indexed);
    lagBlocks.set(labels, behind);
    if (behind === 0) lagSeconds.set(labels, 0);
    else if (place.indexedTime > 0) lagSeconds.set(labels, Math.max(0, place.headTime - place.indexedTime));
  };
  const indexedAt = (number: number): void => {
    place.indexed = number;
    indexed.set(labels, number);
    showLag();
  };
  let halted = false;
  const noteUndecodable = ({ number, hash, undecodable: count = 0 }: Block): void => {
    if (count === 0) return;
    undecodable.inc(labels, count);
    logger.error({ number, hash, logs: count }, 'Block has logs of the contract that cannot be decoded: skipped');
  };

  return {
    headAnnounced({ number, time }) {
      place.head = number;
      place.headTime = time;
      head.set(labels, number);
      headTime.set(labels, time);
      showLag();
    },
    headAge: (seconds) => headAge.set(labels, seconds),
    stepDone({ kind, cursor }) {
      for (const state of ['moved', 'rest', 'behind', 'unclear', 'full', 'halted'] as const)
        states.set({ ...labels, state }, state === kind ? 1 : 0);
      halted = kind === 'halted';
      indexedAt(cursor.number);
      finalized.set(labels, cursor.finalized);
      safe.set(labels, cursor.safe);
    },
    followingFailed(error) {
      faults.inc({ ...labels, kind: kindOf(error) });
    },
    endpointEvent(event) {
      if (event.kind === 'fault') endpointFaults.inc({ host: event.host, fault: event.fault });
      else if (event.kind === 'hedged') hedges.inc({ host: event.host, won: String(event.won) });
      else
        logger.info(
          { host: event.host, event: event.kind },
          event.kind === 'out' ? 'RPC endpoint taken out' : 'RPC endpoint is used again',
        );
    },
    leadLost() {
      for (const each of [head, headTime, headAge, indexed, lagBlocks, lagSeconds, finalized, safe, states])
        each.reset();
    },
    observer: {
      appended(appended, cursor) {
        const found = appended.reduce((sum, block) => sum + block.logs.length, 0);
        blocks.inc(labels, appended.length);
        logs.inc(labels, found);
        for (const block of appended) {
          noteUndecodable(block);
          index(Date.now() / 1_000 - block.time, block.logs.length);
        }
        place.indexedTime = appended.at(-1)?.time ?? place.indexedTime;
        indexedAt(cursor.number);
        logger.debug({ number: cursor.number, blocks: appended.length, logs: found }, 'Blocks appended');
      },
      republished(blocks, done) {
        republished.inc(labels, blocks.length);
        const fields = { from: blocks[0]?.number, to: blocks.at(-1)?.number };
        if (done) logger.info(fields, 'Published blocks again up to the newest');
        else logger.debug(fields, 'Published blocks again');
      },
      reverted({ number, hash }, from, cause) {
        const depth = from.number - number;
        reorgs.inc(labels);
        reverted.inc(labels, depth);
        depths.observe(labels, depth);
        indexedAt(number);
        const fields = { cause, depth, ancestor: { number, hash }, from: { number: from.number, hash: from.hash } };
        if (number < from.finalized) {
          finalReverted.inc(labels);
          logger.error({ ...fields, finalized: from.finalized }, 'Final blocks reverted');
        } else logger.warn(fields, 'Blocks reverted');
      },
      marked(mark, { number, hash }, cursor) {
        finalized.set(labels, cursor.finalized);
        safe.set(labels, cursor.safe);
        logger.debug({ mark, number, hash }, 'Blocks marked');
      },
      halted({ number, hash }, cursor) {
        if (halted) return;
        const fields = { ancestor: { number, hash }, finalized: cursor.finalized, from: cursor.number };
        logger.error(fields, 'Node reverts final blocks: nothing is followed until an operator decides');
      },
    },
  };
}

/** Low cardinality: the fault's name in the node client, or its location. */
function kindOf(error: unknown): string {
  if (error instanceof RpcUnavailableError) return `rpc-${error.fault}`;
  if (isRpcError(error)) return 'rpc-error';
  if (error instanceof CursorMovedError) return 'cursor-moved';
  if (error instanceof Error && error.name === 'MalformedAnswerError') return 'rpc-malformed';
  if (error instanceof Error && error.name === 'PermanentError') return 'wrong-chain';
  return 'database';
}
