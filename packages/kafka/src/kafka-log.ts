import type { Logger } from '@indelible/service-runtime';
import { type LogEntry, logLevel } from 'kafkajs';

/** Fields of a kafkajs log entry that may be logged; others could hold message content or noise. */
const toldFields = ['broker', 'groupId', 'topic', 'partition', 'retryCount'] as const;

const toldOf = (entry: LogEntry): object => {
  const fields: Record<string, unknown> = { kafkajs: entry.namespace };
  if (typeof entry.log.error === 'string') fields.err = entry.log.error;
  for (const field of toldFields) {
    const value: unknown = entry.log[field];
    if (typeof value === 'string' || typeof value === 'number') fields[field] = value;
  }
  return fields;
};

/**
 * kafkajs calls every step of a reconnect or a rebalance an error. This package logs what matters of them
 * itself (joined, gave up, reconnecting, not acknowledged), so the lines of kafkajs are for debugging.
 */
export const createLogBridge = (logger: Logger) => () => (entry: LogEntry) => {
  // The messages between the offset and the topic's beginning are lost: operators must know.
  if (entry.log.message.startsWith('Offset out of range'))
    return logger.warn(toldOf(entry), 'The offset of a partition is out of range, reading from its beginning');
  if (entry.level <= logLevel.INFO) logger.debug(toldOf(entry), entry.log.message);
};
