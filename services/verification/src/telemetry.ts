import type { Logger } from '@indelible/service-runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ChainCursor } from './decisions/follow-chain.ts';

export type Telemetry = {
  blocksProjected(result: {
    readonly cursors: ReadonlyMap<number, ChainCursor>;
    readonly inserted: number;
    readonly reverted: number;
  }): void;
  gapFound(error: Error): void;
};

/** Each business event's log line and metric, together. */
export function createTelemetry(
  logger: Logger,
  metrics: Registry,
  now: { readonly lag: () => number; readonly spooled: () => number },
): Telemetry {
  const registers = [metrics];
  const projected = new Counter({
    name: 'verification_commitments_projected_total',
    help: 'Commitments added to the read model',
    registers,
  });
  const reverted = new Counter({
    name: 'verification_commitments_reverted_total',
    help: 'Commitments taken out of the read model by reorgs',
    registers,
  });
  const gaps = new Counter({
    name: 'verification_gaps_total',
    help: 'Attempts to project a block that does not follow the cursor: not zero means the projection stands',
    registers,
  });
  const block = new Gauge({
    name: 'verification_cursor_block',
    help: 'The last block projected, by chain',
    labelNames: ['chain_id'],
    registers,
  });
  new Gauge({
    name: 'verification_consumer_lag_messages',
    help: 'Messages not yet handled by this replica',
    registers,
    collect() {
      this.set(now.lag());
    },
  });
  new Gauge({
    name: 'verification_spooled_bytes',
    help: 'Room on disk that uploads and answers of collection verifications take now',
    registers,
    collect() {
      this.set(now.spooled());
    },
  });
  return {
    blocksProjected(result) {
      projected.inc(result.inserted);
      reverted.inc(result.reverted);
      for (const [chainId, cursor] of result.cursors) block.set({ chain_id: String(chainId) }, cursor.number);
      if (result.reverted > 0) logger.warn({ reverted: result.reverted }, 'a reorg took commitments');
      logger.debug({ inserted: result.inserted }, 'blocks projected');
    },
    gapFound(error) {
      gaps.inc();
      logger.error({ error }, 'the chain has a gap here: the projection stands until it is mended or rebuilt');
    },
  };
}
