import { choice, integer, mapped, matching, text, webUrl } from '@indelible/service-runtime';
import { publicTopicDefaults } from './topic.ts';

const hourMs = 3_600_000;

/** Settings for the records of the public topic, and its name. */
export const publicTopicSettings = {
  publicTopicPrefix: text('PUBLIC_TOPIC_PREFIX', {
    meaning: 'Before the name of the public topic',
    default: publicTopicDefaults.prefix,
  }),
  eventSource: matching('EVENT_SOURCE', {
    meaning: '`ce_source` of all public events: which installation they are from',
    shape: /^[!-~]{1,200}$/,
    values: 'a URI reference (RFC 3986)',
    default: 'indelible',
  }),
  publicUrl: webUrl('PUBLIC_URL', {
    meaning: 'The address that clients use for the REST API, with scheme; events name their schemas there',
    default: 'http://127.0.0.1:8080',
  }),
};

/** To create the public topic. */
export const publicTopicProvisioning = {
  partitions: integer('PUBLIC_TOPIC_PARTITIONS', {
    meaning: 'Partitions of the public topic, when it is created',
    default: publicTopicDefaults.partitions,
    min: 1,
    max: 1_000,
  }),
  retentionMs: mapped(
    integer('PUBLIC_TOPIC_RETENTION_HOURS', {
      meaning: 'How long the public topic keeps its records; -1 is for ever',
      unit: 'h',
      default: publicTopicDefaults.retentionMs / hourMs,
      min: -1,
      max: 1_000_000,
    }),
    (hours) => (hours === -1 ? -1 : hours * hourMs),
  ),
  cleanupPolicy: choice('PUBLIC_TOPIC_CLEANUP', {
    meaning: 'What happens to old records of the public topic',
    choices: ['delete', 'compact', 'compact,delete'],
    default: publicTopicDefaults.cleanupPolicy,
  }),
};
