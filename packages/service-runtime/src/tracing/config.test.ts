import { describe, expect, it } from '@jest/globals';
import { readTracing } from './config.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

describe('the configuration of traces', () => {
  it('is none unless an exporter or an endpoint is named', () => {
    for (const off of [
      {},
      { OTEL_TRACES_SAMPLER: 'always_on' },
      { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
      { ...endpoint, OTEL_SDK_DISABLED: 'true' },
      { ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' },
      { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
    ])
      expect(readTracing(off, 'stamping')).toBeUndefined();
  });

  it('has the defaults of the specification', () => {
    expect(readTracing({ OTEL_TRACES_EXPORTER: 'otlp' }, 'stamping')).toEqual({
      resource: { 'service.name': 'stamping' },
      sampler: { parentBased: true, ratio: 1 },
      exporter: {
        protocol: 'http/protobuf',
        url: 'http://localhost:4318/v1/traces',
        headers: {},
        timeoutMs: 10_000,
        compression: 'none',
      },
      queue: { most: 2_048, mostAtOnce: 512, everyMs: 5_000, timeoutMs: 30_000 },
    });
  });

  it('takes what is of traces alone over what is of all signals, and its endpoint as it is', () => {
    const config = readTracing(
      {
        ...endpoint,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/in',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, tenant=7',
        OTEL_SERVICE_NAME: 'stamps',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=trial',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.01',
      },
      'stamping',
    );
    expect(config).toMatchObject({
      resource: { 'service.name': 'stamps', 'deployment.environment.name': 'trial' },
      sampler: { parentBased: true, ratio: 0.01 },
      exporter: {
        protocol: 'http/json',
        url: 'https://traces/in',
        headers: { authorization: 'Bearer abc', tenant: '7' },
      },
    });
    expect(readTracing(endpoint, 'stamping')?.exporter.url).toBe('http://collector:4318/v1/traces');
  });

  it('reports every fault at once, and no header (I10)', () => {
    const read = () =>
      readTracing(
        {
          OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
          OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
          OTEL_EXPORTER_OTLP_HEADERS: 'my-secret',
          OTEL_TRACES_SAMPLER: 'jaeger_remote',
          OTEL_BSP_MAX_QUEUE_SIZE: '100',
        },
        'stamping',
      );
    for (const name of ['OTLP_ENDPOINT', 'OTLP_PROTOCOL', 'OTLP_HEADERS', 'TRACES_SAMPLER', 'EXPORT_BATCH_SIZE'])
      expect(read).toThrow(name);
    expect(read).not.toThrow('my-secret');
  });
});
