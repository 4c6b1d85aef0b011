import { type Environment, readEnvironment } from '../config.ts';
import { keepSecret } from '../logging/known-secrets.ts';
import type { SamplerSettings } from './sampler.ts';

export type TracingConfig = {
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerSettings;
  readonly exporter: {
    readonly protocol: 'http/json' | 'http/protobuf';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    readonly compression: 'gzip' | 'none';
  };
  readonly queue: {
    readonly most: number;
    readonly mostAtOnce: number;
    readonly everyMs: number;
    readonly timeoutMs: number;
  };
};

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * Reads the standard variables of OpenTelemetry, with the defaults of its specification but one: nothing is exported unless an exporter or
 * an endpoint is named.
 * @returns undefined when nothing is to be traced
 * @throws ConfigurationError
 */
export function readTracing(environment: Environment, service: string): TracingConfig | undefined {
  const read = readEnvironment(environment);
  const of = (name: string): string =>
    read.optionalText(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ? `TRACES_${name}` : name;
  const named = (name: string): string => `OTEL_EXPORTER_OTLP_${of(name)}`;
  const isNamed = read.optionalText(named('ENDPOINT')) !== undefined;
  const disabled = read.flag('OTEL_SDK_DISABLED', false);
  const exporter = read.choice('OTEL_TRACES_EXPORTER', ['otlp', 'none'], isNamed ? 'otlp' : 'none');
  if (disabled || exporter === 'none') {
    read.finish();
    return undefined;
  }
  const sampler = readSampler(read);
  const endpoint = read.url(named('ENDPOINT'), ['http:', 'https:'], 'http://localhost:4318');
  const config: TracingConfig = {
    resource: {
      'service.name': service,
      ...pairsOf(read, 'OTEL_RESOURCE_ATTRIBUTES'),
      ...nameOf(read.optionalText('OTEL_SERVICE_NAME')),
    },
    sampler,
    exporter: {
      protocol: read.choice(named('PROTOCOL'), ['http/json', 'http/protobuf'], 'http/protobuf'),
      url: of('ENDPOINT') === 'ENDPOINT' ? `${endpoint.replace(/\/+$/, '')}/v1/traces` : endpoint,
      headers: pairsOf(read, named('HEADERS')),
      timeoutMs: read.integer(named('TIMEOUT'), { default: 10_000, min: 1, max: 60_000 }),
      compression: read.choice(named('COMPRESSION'), ['none', 'gzip'], 'none'),
    },
    queue: {
      most: read.integer('OTEL_BSP_MAX_QUEUE_SIZE', { default: 2_048, min: 1, max: 100_000 }),
      mostAtOnce: read.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', { default: 512, min: 1, max: 10_000 }),
      everyMs: read.integer('OTEL_BSP_SCHEDULE_DELAY', { default: 5_000, min: 1, max: 600_000 }),
      timeoutMs: read.integer('OTEL_BSP_EXPORT_TIMEOUT', { default: 30_000, min: 1, max: 600_000 }),
    },
  };
  if (config.queue.mostAtOnce > config.queue.most)
    read.fault('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'must not be over OTEL_BSP_MAX_QUEUE_SIZE');
  keepSecret(Object.values(config.exporter.headers));
  read.finish();
  const recordsAny = sampler.parentBased || sampler.ratio > 0;
  return recordsAny ? config : undefined;
}

type Reader = ReturnType<typeof readEnvironment>;

function readSampler(read: Reader): SamplerSettings {
  const kind = read.choice('OTEL_TRACES_SAMPLER', samplers, 'parentbased_always_on');
  const parentBased = kind.startsWith('parentbased_');
  if (!kind.endsWith('traceidratio')) return { parentBased, ratio: kind.endsWith('always_on') ? 1 : 0 };
  const text = read.text('OTEL_TRACES_SAMPLER_ARG', '1');
  const ratio = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || ratio > 1) read.fault('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  return { parentBased, ratio };
}

/** `name=value,name=value` with values as in a URL. No value is in a fault: headers are secrets (I10). */
function pairsOf(read: Reader, variable: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of (read.optionalText(variable) ?? '').split(',')) {
    if (pair.trim() === '') continue;
    const mark = pair.indexOf('=');
    try {
      if (mark < 1) throw new Error('no name');
      pairs[decodeURIComponent(pair.slice(0, mark).trim())] = decodeURIComponent(pair.slice(mark + 1).trim());
    } catch {
      read.fault(variable, 'must be a comma-separated list of name=value');
    }
  }
  return pairs;
}

const nameOf = (name: string | undefined): Record<string, string> =>
  name === undefined ? {} : { 'service.name': name };
