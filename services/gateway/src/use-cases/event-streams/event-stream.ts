import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { createBackoff, type FairQueue, isRetryable } from '@indelible/service-runtime';
import type { EventFilter } from '../../decisions/event-filter.ts';
import type { EventLog, LogPlace } from '../../neighbours/event-log.ts';
import { frameOf, heartbeatFrame, openingFrame } from './frames.ts';
import type { StreamPlace } from './open-streams.ts';
import { type Piece, readerOf } from './ring.ts';

export type StreamPorts = { readonly log: Pick<EventLog, 'page'>; readonly inFairTurns: FairQueue };

/** Page size for a client that is behind. */
const pageEvents = 50;
const backoff = createBackoff({ firstMs: 250, ceilingMs: 5_000 });
/** Reconnect delay of clients: not all of a process at once. */
const reconnectMs = { least: 1_000, spread: 2_000 } as const;

/** Reads the log for one client: by pages while it is behind, from the feed once it has caught up. */
export type EventStream = {
  opening(): Buffer;
  /** The next piece, once there is one; undefined when the stream has ended. */
  next(): Promise<Piece | undefined>;
  heartbeat(): Buffer;
};

export function createEventStream(
  { log, inFairTurns }: StreamPorts,
  options: {
    readonly account: Hex;
    readonly from: LogPlace;
    readonly filter: EventFilter;
    readonly place: StreamPlace;
  },
): EventStream {
  const { account, filter } = options;
  const { ended, seat } = options.place;
  const reader = readerOf(filter);
  let from = options.from;

  /** Of the log, however long that is unavailable: heartbeats continue meanwhile. */
  async function pageOfLog(): Promise<Piece | undefined> {
    for (let failures = 0; !ended.aborted; failures++) {
      try {
        const page = await inFairTurns(account, () => log.page(account, from, filter, pageEvents, ended));
        const frames = page.events.map(({ position, event }) => frameOf(position, event).bytes);
        return {
          bytes: frames.length === 0 ? undefined : Buffer.concat(frames),
          events: frames.length,
          next: page.next,
        };
      } catch (error) {
        if (ended.aborted) return undefined;
        if (!isRetryable(error)) throw error;
        await delay(backoff(failures + 1), undefined, { signal: ended }).catch(() => {});
      }
    }
    return undefined;
  }

  const position = (): number | undefined => ('after' in from ? from.after : undefined);

  return {
    opening: () => openingFrame(reconnectMs.least + Math.floor(Math.random() * reconnectMs.spread), position()),
    heartbeat: () => heartbeatFrame(position()),
    async next() {
      while (!ended.aborted) {
        const after = position();
        const piece = (after === undefined ? undefined : seat.read(after, reader)) ?? (await pageOfLog());
        if (piece === undefined) return undefined;
        from = { after: piece.next };
        if (piece.bytes !== undefined) return piece;
        if (piece.next === after) await seat.news(after, ended);
      }
      return undefined;
    },
  };
}
