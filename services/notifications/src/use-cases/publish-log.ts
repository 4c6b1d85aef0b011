import { createOutboxRelay } from '@indelible/event-store';
import type { RecordPublisher } from '@indelible/kafka';
import type { Database } from '@indelible/postgres';
import { type EventOrigin, fromLogBody, kafkaRecordOf } from '@indelible/public-events';
import { type Component, type Logger, PermanentError } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import { logChannel } from '../tables/log.ts';
import { type UnpublishedRow, unpublishedRows } from '../tables/unpublished.ts';

/**
 * Publishes the log to the public topic, in the order it was appended: at least once, with stable ids. What can never
 * be published holds back its account's later events, and no others.
 */
export function createLogPublisher(options: {
  readonly database: Pick<Database, 'url' | 'schema' | 'query'>;
  readonly publisher: Pick<RecordPublisher, 'publish'>;
  readonly topic: string;
  readonly origin: EventOrigin;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly onPublished: (events: number) => void;
}): Component {
  const { database, publisher, topic, origin, logger, metrics } = options;
  return createOutboxRelay({
    database,
    channel: logChannel,
    outbox: unpublishedRows(database),
    async publish(rows) {
      const records = rows.flatMap((row) => recordsOf(row, topic, origin));
      await publisher.publish(records);
      options.onPublished(records.length);
    },
    stage: 'publish_public',
    logger,
    metrics,
  });
}

function recordsOf({ account, position, events }: UnpublishedRow, topic: string, origin: EventOrigin) {
  try {
    return fromLogBody(events).map((event) => ({ topic, ...kafkaRecordOf(account, event, origin) }));
  } catch (cause) {
    throw new PermanentError(`row ${position} of ${account} is not one of events`, { cause });
  }
}
