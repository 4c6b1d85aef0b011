import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import type { TracingConfig } from './config.ts';

export type SpanOutcome = 'exported' | 'failed' | 'dropped';

/**
 * The SDK's bounded queue between the work and the collector, which counts the outcome of each span. A collector that
 * is down, slow or full loses spans: a full queue drops them.
 */
export function createSpanQueue(
  exporter: SpanExporter,
  { most, mostAtOnce, everyMs, timeoutMs }: TracingConfig['queue'],
  count: (outcome: SpanOutcome, spans: number, error?: Error) => void,
): SpanProcessor {
  let waiting = 0;
  const counting: SpanExporter = {
    export(spans, onResult) {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        // 0 is the SDK's success.
        if (result.code === 0) count('exported', spans.length);
        else count('failed', spans.length, result.error);
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
  const queue = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: most,
    maxExportBatchSize: mostAtOnce,
    scheduledDelayMillis: everyMs,
    exportTimeoutMillis: timeoutMs,
  });
  return {
    onStart() {},
    onEnd(span: ReadableSpan) {
      if (waiting >= most) {
        count('dropped', 1);
        return;
      }
      waiting++;
      queue.onEnd(span);
    },
    forceFlush: () => queue.forceFlush(),
    shutdown: () => queue.shutdown(),
  };
}
