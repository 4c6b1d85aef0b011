import type { Logger } from '@indelible/service-runtime';
import { Counter, Gauge, Registry } from 'prom-client';
import type { FollowObserver } from './following/follow-step.ts';

export type Telemetry = {
  readonly registry: Registry;
  readonly observer: FollowObserver;
  /** The newest head heard of. */
  headTold(number: number): void;
};

/** What happens on the chain, told to log and metrics together. */
export function createTelemetry(chainId: number, logger: Logger): Telemetry {
  const registry = new Registry();
  const labelNames = ['chain_id'] as const;
  const labels = { chain_id: String(chainId) };
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const head = gauge('indelible_chain_head_block', 'The newest block heard of');
  const indexed = gauge('indelible_chain_indexed_block', 'The newest block stored');
  const finalized = gauge('indelible_chain_finalized_block', 'The newest block announced as final');
  const blocks = counter('indelible_chain_blocks_total', 'Blocks stored');
  const logs = counter('indelible_chain_logs_total', 'Logs of the contract stored');
  const reorgs = counter('indelible_chain_reorgs_total', 'Reorgs published');
  const reverted = counter('indelible_chain_reverted_blocks_total', 'Blocks reverted by reorgs');

  return {
    registry,
    headTold: (number) => head.set(labels, number),
    observer: {
      appended(appended, cursor) {
        const found = appended.reduce((sum, block) => sum + block.logs.length, 0);
        blocks.inc(labels, appended.length);
        logs.inc(labels, found);
        indexed.set(labels, cursor.number);
        logger.debug({ number: cursor.number, blocks: appended.length, logs: found }, 'blocks appended');
      },
      reverted({ number, hash }, from, cause) {
        const depth = from.number - number;
        reorgs.inc(labels);
        reverted.inc(labels, depth);
        indexed.set(labels, number);
        const fields = { cause, depth, ancestor: { number, hash }, from: { number: from.number, hash: from.hash } };
        if (number < from.finalized) logger.error(fields, 'final blocks were reverted');
        else logger.warn(fields, 'blocks reverted');
      },
      finalized({ number, hash }) {
        finalized.set(labels, number);
        logger.debug({ number, hash }, 'blocks finalized');
      },
    },
  };
}
