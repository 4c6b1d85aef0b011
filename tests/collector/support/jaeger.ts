import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectedSpan, eventually, fixedPort, testJaeger } from '@indelible/testing';

type JaegerSpan = {
  readonly traceID: string;
  readonly spanID: string;
  readonly operationName: string;
  readonly processID: string;
  readonly references: readonly { readonly refType: string; readonly traceID: string; readonly spanID: string }[];
  readonly tags: readonly { readonly key: string; readonly value: string | number | boolean }[];
};
type JaegerTrace = {
  readonly spans: readonly JaegerSpan[];
  readonly processes: Readonly<Record<string, { readonly serviceName: string }>>;
};

/** A collector as operators run it: OTLP in, a memory limiter and batches on the way, traces to query. */
export async function startJaeger() {
  const directory = await mkdtemp(join(tmpdir(), 'indelible-jaeger-'));
  const [otlp, query, grpc] = await Promise.all([fixedPort(), fixedPort(), fixedPort()]);
  const config = {
    service: {
      extensions: ['jaeger_storage', 'jaeger_query'],
      pipelines: {
        traces: {
          receivers: ['otlp'],
          processors: ['memory_limiter', 'batch'],
          exporters: ['jaeger_storage_exporter'],
        },
      },
      telemetry: { metrics: { level: 'none' } },
    },
    extensions: {
      jaeger_storage: { backends: { memory: { memory: { max_traces: 10_000 } } } },
      jaeger_query: {
        storage: { traces: 'memory' },
        http: { endpoint: `127.0.0.1:${query}` },
        grpc: { endpoint: `127.0.0.1:${grpc}` },
      },
    },
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${otlp}` } } } },
    processors: { memory_limiter: { check_interval: '1s', limit_mib: 200 }, batch: { timeout: '200ms' } },
    exporters: { jaeger_storage_exporter: { trace_storage: 'memory' } },
  };
  const file = join(directory, 'jaeger.json');
  await writeFile(file, JSON.stringify(config));
  const child = spawn(testJaeger(), ['--config', `file:${file}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log = (log + String(chunk)).slice(-10_000);
  });
  const url = `http://127.0.0.1:${query}`;
  await eventually(
    async () => {
      if (child.exitCode !== null) throw new Error(`Jaeger ended with ${child.exitCode}:\n${log}`);
      if (!(await fetch(`${url}/api/services`)).ok) throw new Error('Jaeger is not ready');
    },
    { timeoutMs: 30_000 },
  );
  return {
    endpoint: `http://127.0.0.1:${otlp}`,
    async trace(traceId: string): Promise<readonly CollectedSpan[]> {
      const response = await fetch(`${url}/api/traces/${traceId}`);
      const { data } = (await response.json()) as { data: readonly JaegerTrace[] | null };
      return (data ?? []).flatMap(({ spans, processes }) => spans.map((span) => spanOf(span, processes)));
    },
    async stop(): Promise<void> {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await exited;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function spanOf(span: JaegerSpan, processes: JaegerTrace['processes']): CollectedSpan {
  const parent = span.references.find(({ refType, traceID }) => refType === 'CHILD_OF' && traceID === span.traceID);
  return {
    service: processes[span.processID]?.serviceName ?? '',
    name: span.operationName,
    traceId: span.traceID,
    spanId: span.spanID,
    parentSpanId: parent?.spanID,
    links: span.references
      .filter(({ refType }) => refType === 'FOLLOWS_FROM')
      .map(({ traceID, spanID }) => ({ traceId: traceID, spanId: spanID })),
    attributes: Object.fromEntries(span.tags.map(({ key, value }) => [key, value])),
    failed: span.tags.some(({ key, value }) => key === 'error' && value === true),
  };
}
