import { createFairQueue, type Logger } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import type { EventLog } from '../../neighbours/event-log.ts';
import { createFeeds } from './feeds.ts';
import { createOpenStreams } from './open-streams.ts';

/** How many clients that are behind read the log at once; the others wait for their turn. */
const logReaders = 16;

/** Streams of events: what follows the log, and the places of clients. */
export function createEvents(
  config: Pick<Config, 'eventBufferBytes' | 'maxEventStreams'>,
  { log, logger, metrics }: { readonly log: EventLog; readonly logger: Logger; readonly metrics: Registry },
) {
  const feeds = createFeeds({ log, bufferBytes: config.eventBufferBytes, logger });
  const streams = createOpenStreams({ feeds, maxStreams: config.maxEventStreams, logger, metrics });
  return { log, feeds, streams, inFairTurns: createFairQueue(logReaders) };
}
