import { type Logger, traceForLog } from '@indelible/service-runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { RequestTrace } from '../../request-trace.ts';
import type { LineStatus } from './answer-queue.ts';
import type { LineWindow } from './line-window.ts';

/** Logs and metrics of batches: one helper per event. */
export function createBatchObservations(options: {
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly window: Pick<LineWindow, 'size'>;
}) {
  const { logger, metrics, window } = options;
  const answered = new Counter({
    name: 'indelible_gateway_batch_lines_total',
    help: 'Lines of batches by how they were answered',
    labelNames: ['status'],
    registers: [metrics],
  });
  new Gauge({
    name: 'indelible_gateway_batch_lines_under_way',
    help: 'Lines of batches that are read and not yet taken by their client',
    registers: [metrics],
    collect() {
      this.set(window.size());
    },
  });
  return {
    /** Lines whose results are sent. */
    linesAnswered(statuses: ReadonlyMap<LineStatus, number>): void {
      for (const [status, count] of statuses) answered.inc({ status }, count);
    },
    /** @param lines that could not be submitted; 0: the rest of a batch could not be read */
    linesFailed(error: unknown, lines: number, { requestId, traceparent }: RequestTrace): void {
      logger.warn({ err: error, lines, requestId, ...traceForLog(traceparent) }, 'Batch lines failed');
    },
  };
}

export type BatchObservations = ReturnType<typeof createBatchObservations>;
