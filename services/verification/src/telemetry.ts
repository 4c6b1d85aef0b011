import { type Logger, stageDurations } from '@indelible/service-runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ChainCursor } from './decisions/follow-chain.ts';

export type Telemetry = {
  blocksProjected(result: {
    readonly cursors: ReadonlyMap<number, ChainCursor>;
    readonly inserted: number;
    readonly reverted: number;
    readonly missing: ReadonlyMap<number, number>;
    /** Block times, in seconds, and number of commitments of each. */
    readonly blocks: readonly { readonly time: number; readonly commitments: number }[];
  }): void;
};

const warnEveryMs = 60_000;

/** Each business event's log line and metric, together. */
export function createTelemetry(logger: Logger, metrics: Registry, now: { readonly spooled: () => number }): Telemetry {
  const registers = [metrics];
  const projected = new Counter({
    name: 'indelible_verification_commitments_projected_total',
    help: 'Commitments added to the read model',
    registers,
  });
  const reverted = new Counter({
    name: 'indelible_verification_commitments_reverted_total',
    help: 'Commitments taken out of the read model by reorgs',
    registers,
  });
  const gaps = new Counter({
    name: 'indelible_verification_gaps_total',
    help: 'Batches that ended in a gap of a chain: a steady rise means that what is missing does not come',
    registers,
  });
  const block = new Gauge({
    name: 'indelible_verification_cursor_block',
    help: 'The last block projected, by chain',
    labelNames: ['chain_id'],
    registers,
  });
  const { project } = stageDurations(metrics, ['project']);
  new Gauge({
    name: 'indelible_verification_spooled_bytes',
    help: 'Room on disk that uploads and answers of collection verifications take now',
    registers,
    collect() {
      this.set(now.spooled());
    },
  });
  let gapSince: number | undefined;
  let warnedAt = Number.NEGATIVE_INFINITY;
  const noteGap = (chainId: number, from: number): void => {
    gaps.inc();
    gapSince ??= performance.now();
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    const seconds = Math.round((warnedAt - gapSince) / 1000);
    logger.warn({ chainId, from, seconds }, 'Blocks are missing: requesting that they be published again');
  };
  return {
    blocksProjected(result) {
      projected.inc(result.inserted);
      reverted.inc(result.reverted);
      if (result.inserted > 0)
        for (const { time, commitments } of result.blocks) project(Date.now() / 1_000 - time, commitments);
      for (const [chainId, cursor] of result.cursors) block.set({ chain_id: String(chainId) }, cursor.number);
      if (result.reverted > 0) logger.warn({ reverted: result.reverted }, 'a reorg took commitments');
      logger.debug({ inserted: result.inserted }, 'blocks projected');
      for (const [chainId, from] of result.missing) noteGap(chainId, from);
      if (result.missing.size === 0 && result.cursors.size > 0) gapSince = undefined;
    },
  };
}
