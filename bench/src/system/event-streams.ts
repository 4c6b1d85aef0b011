import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import type { Quantiles } from '../measuring/quantiles.ts';
import type { EventLog } from './event-log.ts';
import { startSideProcess } from './side-process.ts';
import type { System } from './start-system.ts';

export type EventStreamsSettings = {
  readonly rootUrl: string;
  readonly apiKey: string;
  /** A stream each. */
  readonly collections: readonly Hex[];
  /** After which position of the account's log they begin. */
  readonly after: number;
};

/** What all streams together have had. */
export type StreamsReading = {
  readonly events: number;
  /** Events that did not follow the one before in their collection, or came twice. */
  readonly outOfOrder: number;
  /** Streams that ended. */
  readonly ended: number;
  readonly confirmed: number;
  /** Of confirmed stamps: from StampConfirmed's time to the arrival of its event. */
  readonly lateMs: Quantiles | null;
};

export type EventStreams = {
  /** Resolves when all that was appended since they began has come, confirmations of so many stamps with it. @throws Error when it has not in time, or not in order */
  untilAllCame(stamps: number, signal: AbortSignal): Promise<StreamsReading>;
  stop(): Promise<void>;
};

const cameWithinMs = 60_000;

/** Opens a stream of server-sent events for each collection, from now on, in a process of its own. */
export async function openEventStreams(
  { connection: { rootUrl, apiKey, userAddress } }: System,
  log: Pick<EventLog, 'endOf'>,
  collections: readonly Hex[],
  signal: AbortSignal,
): Promise<EventStreams> {
  const before = await log.endOf(userAddress, collections);
  const settings: EventStreamsSettings = { rootUrl, apiKey, collections, after: before.position };
  const { url, stop } = await startSideProcess(join(import.meta.dirname, 'event-streams-process.ts'), settings, signal);
  return {
    async untilAllCame(stamps, until) {
      for (const deadline = performance.now() + cameWithinMs; ; await delay(50, undefined, { signal: until })) {
        const reading = (await (await fetch(url, { signal: until })).json()) as StreamsReading;
        if (reading.outOfOrder + reading.ended > 0)
          throw new Error(`no result: streams lost their order, or ended: ${JSON.stringify(reading)}`);
        const appended = (await log.endOf(userAddress, collections)).events - before.events;
        if (reading.events === appended && reading.confirmed >= stamps) return reading;
        if (performance.now() > deadline)
          throw new Error(
            `no result: of ${appended} events of ${stamps} stamps streams had ${JSON.stringify(reading)}`,
          );
      }
    },
    stop,
  };
}
