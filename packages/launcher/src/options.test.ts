import { publicTopicDefaults } from '@indelible/public-events';
import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.ts';

describe('the options of a local start', () => {
  it('have the documented defaults of the public topic: 8 partitions, 720 hours, no compaction', () => {
    expect(readOptions([], {}).publicTopic).toEqual(publicTopicDefaults);
    expect(publicTopicDefaults).toEqual({
      prefix: 'indelible.',
      partitions: 8,
      retentionMs: 720 * 3_600_000,
      cleanupPolicy: 'delete',
    });
  });

  it('give every service the standard variables of OpenTelemetry, and no other', () => {
    const { openTelemetry } = readOptions([], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', HOME: '/root' });
    expect(openTelemetry).toEqual({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' });
  });

  it('take its settings from the environment', () => {
    const { publicTopic } = readOptions([], {
      PUBLIC_TOPIC_PREFIX: 'acme.',
      PUBLIC_TOPIC_PARTITIONS: '24',
      PUBLIC_TOPIC_RETENTION_HOURS: '-1',
      PUBLIC_TOPIC_CLEANUP: 'compact,delete',
    });
    expect(publicTopic).toEqual({ prefix: 'acme.', partitions: 24, retentionMs: -1, cleanupPolicy: 'compact,delete' });
  });
});
