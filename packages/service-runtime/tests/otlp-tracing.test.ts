import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually, type OtlpCollector, otlpCollector } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createLogger } from '../src/logging/logger.ts';
import { readTracing } from '../src/tracing/config.ts';
import { createTracing } from '../src/tracing/create-tracing.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

let collector: OtlpCollector;
beforeEach(async () => {
  collector = await otlpCollector();
});
afterEach(() => collector.stop());

const environment = (over: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '10',
  ...over,
});

/** Runs a program with the variables, in a process of its own. */
async function run(
  program: string,
  variables: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, output };
}

describe('spans', () => {
  it('come to the collector with their parent, links, attributes and times, and are counted', async () => {
    const tracing = await createTracing(readTracing(environment(), 'stamping'), logger);
    const metrics = new Registry();
    tracing.countIn(metrics);
    const span = tracing.begin(parent, { name: 'decide', kind: 'consumer', links: [parent], attributes: { n: 1 } });
    tracing.begin(span?.traceparent, { name: 'write' })?.end({ rows: 2 }, 'failed');
    span?.end();
    await tracing.stop();
    const [write, decide] = collector.spans();
    expect(decide).toMatchObject({
      service: 'stamping',
      name: 'decide',
      traceId: parent.slice(3, 35),
      parentSpanId: parent.slice(36, 52),
      links: [{ traceId: parent.slice(3, 35), spanId: parent.slice(36, 52) }],
      attributes: { n: 1 },
      failed: false,
    });
    expect(write).toMatchObject({ name: 'write', parentSpanId: decide?.spanId, attributes: { rows: 2 }, failed: true });
    expect(await metrics.metrics()).toContain('indelible_spans_total{outcome="exported"} 2');
  });

  it('of contexts that are not sampled, or no contexts, are none', async () => {
    const tracing = await createTracing(readTracing(environment(), 'stamping'), logger);
    for (const none of [parent.replace(/01$/, '00'), '', 'trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])
      expect(tracing.begin(none, { name: 'decide' })).toBeUndefined();
    await tracing.stop();
    expect(collector.requests()).toBe(0);
  });

  it('are dropped and counted while the collector hangs, and lost and counted when it refuses them', async () => {
    const variables = environment({ OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5' });
    const tracing = await createTracing(readTracing(variables, 'stamping'), logger);
    const metrics = new Registry();
    tracing.countIn(metrics);
    const counted = async (outcome: string): Promise<number> =>
      Number(new RegExp(`spans_total\\{outcome="${outcome}"\\} (\\d+)`).exec(await metrics.metrics())?.[1]);
    collector.become('refuses');
    tracing.begin(parent, { name: 'lost' })?.end();
    await eventually(async () => expect(await counted('failed')).toBe(1));
    collector.become('hangs');
    for (let i = 0; i < 100; i++) tracing.begin(parent, { name: 'waits' })?.end();
    expect(await counted('dropped')).toBeGreaterThanOrEqual(85);
    await tracing.stop();
  });

  it('that no collector takes do not keep the process (I11)', async () => {
    collector.become('hangs');
    const program = `
      const { readTracing } = await import('../src/tracing/config.ts');
      const { createTracing } = await import('../src/tracing/create-tracing.ts');
      const logger = { info() {}, warn() {} };
      const tracing = await createTracing(readTracing(process.env, 'stamping'), logger);
      for (let i = 0; i < 2_000; i++) tracing.begin(undefined, { name: 'waits' }).end();
      await tracing.stop();
      console.log('stopped');`;
    // Longer than the test may take: only the stop can end the process.
    const variables = environment({ OTEL_EXPORTER_OTLP_TIMEOUT: '60000', OTEL_BSP_EXPORT_TIMEOUT: '600000' });
    expect(await run(program, variables)).toEqual({ code: 0, output: 'stopped\n' });
  }, 30_000);
});

it('without configuration no code of OpenTelemetry is loaded but its API, which prom-client loads', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => { loaded.push(name); return next(name, context); } });
    const { createTracing } = await import('../src/tracing/create-tracing.ts');
    const { readTracing } = await import('../src/tracing/config.ts');
    await import('../src/index.ts');
    const tracing = await createTracing(readTracing(process.env, 'stamping'), undefined);
    console.log(tracing.on, loaded.length > 10, loaded.some((name) => /@opentelemetry.(?!api)/.test(name)));`;
  const { output } = await run(program, { OTEL_SDK_DISABLED: 'true' });
  expect(output).toBe('false true false\n');
});
