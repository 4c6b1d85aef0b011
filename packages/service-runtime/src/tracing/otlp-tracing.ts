import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../logging/logger.ts';
import { createOutageLog } from '../logging/outage-log.ts';
import { settlesWithin } from '../time-limits.ts';
import { createCollectorAgent } from './collector-agent.ts';
import type { TracingConfig } from './config.ts';
import { createSampler } from './sampler.ts';
import { createSpanQueue, type SpanOutcome } from './span-queue.ts';
import { isSampled, isTraceparent } from './traceparent.ts';
import { mostLinks, type Tracing } from './tracing.ts';

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** How long a stop waits for the last export. */
const stopMs = 2_000;

/** Records spans with the SDK of OpenTelemetry, and sends them to a collector by OTLP over HTTP. */
export function createOtlpTracing(config: TracingConfig, logger: Logger): Tracing {
  const { exporter, queue } = config;
  const connections = createCollectorAgent(exporter.url);
  const counters: Counter<'outcome'>[] = [];
  const outage = createOutageLog({ logger, waitingFor: 'the collector of traces (OTEL_EXPORTER_OTLP_ENDPOINT)' });
  const count = (outcome: SpanOutcome, spans: number, error?: Error): void => {
    for (const counter of counters) counter.inc({ outcome }, spans);
    if (outcome === 'exported') outage.ended();
    else if (outcome === 'failed') outage.failed(error ?? new Error('the export failed'));
  };
  const Exporter = exporter.protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const provider = new TracerProvider({
    resource: resourceFromAttributes(config.resource),
    // Spans begun here are already sampled.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: 256, linkCountLimit: mostLinks },
    spanProcessors: [
      createSpanQueue(
        new Exporter({
          url: exporter.url,
          headers: exporter.headers,
          timeoutMillis: exporter.timeoutMs,
          compression: exporter.compression as never,
          httpAgentOptions: () => connections.agent,
        }),
        queue,
        count,
      ),
    ],
  });
  const tracer = provider.getTracer('indelible');

  return {
    on: true,
    samples: createSampler(config.sampler, Date.now),
    begin(parent, { name, kind = 'internal', attributes = {}, links = [], startedAt }) {
      if (parent !== undefined && !(isSampled(parent) && isTraceparent(parent))) return undefined;
      const context =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { ...contextOf(parent), isRemote: true });
      const options = { kind: kinds[kind], attributes, links: links.slice(0, mostLinks).map(linkOf) };
      const span = tracer.startSpan(
        name,
        startedAt === undefined ? options : { ...options, startTime: startedAt },
        context,
      );
      const { traceId, spanId } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-01`,
        end(more = {}, outcome) {
          span.setAttributes(more);
          if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    countIn(metrics: Registry) {
      const counter = new Counter({
        name: 'indelible_spans_total',
        help: 'Spans of traces by what became of them; dropped: the queue was full, since the collector is unavailable or too slow',
        labelNames: ['outcome'] as const,
        registers: [metrics],
      });
      for (const outcome of ['exported', 'failed', 'dropped'] as const) counter.inc({ outcome }, 0);
      counters.push(counter);
    },
    async stop() {
      // Export faults are already counted and logged.
      await settlesWithin(stopMs, provider.shutdown());
      connections.close();
    },
  };
}

const contextOf = (traceparent: string): SpanContext => ({
  traceId: traceparent.slice(3, 35),
  spanId: traceparent.slice(36, 52),
  traceFlags: TraceFlags.SAMPLED,
});

const linkOf = (traceparent: string) => ({ context: contextOf(traceparent) });
