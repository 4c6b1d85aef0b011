import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import {
  type Component,
  createBackoff,
  createFairShare,
  createOutageLog,
  createTurns,
  type Logger,
} from '@indelible/service-runtime';
import type { EventLog, LogNews } from '../../neighbours/event-log.ts';
import { frameOf } from './frames.ts';
import { createRing, type Piece, type Reader, type Ring } from './ring.ts';

/** An account's newest events, for one client. */
export type FeedSeat = {
  /** What follows a position; undefined when it must be read from the log. */
  read(after: number, reader: Reader): Piece | undefined;
  /** Resolves when there may be something new after a position, or `signal` aborts. */
  news(after: number, signal: AbortSignal): Promise<void>;
  /** The end of the log, once known. @throws the signal's reason */
  end(signal: AbortSignal): Promise<number>;
  leave(): void;
};

export type Feeds = Component & { join(account: Hex): FeedSeat };

type Feed = {
  ring: Ring | undefined;
  seats: number;
  readonly waiting: Set<() => void>;
  leaving: NodeJS.Timeout | undefined;
};

/** How long an account is followed after its last client left: it may return. */
const lingerMs = 10_000;
const waitMs = 25_000;
/** Between two reads: what comes meanwhile is read together. */
const paceMs = 50;
/** Accounts that come within it are followed together. */
const joinMs = 10;
const backoff = createBackoff({ firstMs: 250, ceilingMs: 5_000 });
/** Clients that get their events per turn of the event loop. */
const wakesATurn = 32;

/**
 * Follows the logs of all accounts with clients here, with one request at a time, however many: each event is read and
 * serialised once for all (docs/adr/0026-event-streams.md).
 */
export function createFeeds(options: {
  readonly log: Pick<EventLog, 'follow'>;
  /** Of all rings; accounts share it. */
  readonly bufferBytes: number;
  readonly logger: Logger;
}): Feeds {
  const { log, logger } = options;
  const memory = createFairShare(options.bufferBytes);
  /** In the order of reading: a log with more to come goes to the end. */
  const feeds = new Map<Hex, Feed>();
  const inTurns = createTurns(wakesATurn);
  const outage = createOutageLog({ logger, waitingFor: 'notifications, to stream events (NOTIFICATIONS_URL)' });
  const stopping = new AbortController();
  let running = Promise.resolve();
  /** Aborts a read that only waits for news, when new accounts have come. */
  let waiting = new AbortController();
  let changing: NodeJS.Timeout | undefined;
  let wanted = Promise.withResolvers<void>();

  function change(): void {
    wanted.resolve();
    changing ??= setTimeout(() => waiting.abort(), joinMs);
  }

  function wakeAll(feed: Feed): void {
    for (const wake of feed.waiting) inTurns(wake);
    feed.waiting.clear();
  }

  function take({ logs, more }: LogNews): void {
    for (const { account, events, next } of logs) {
      const feed = feeds.get(account);
      if (feed === undefined) continue;
      if (feed.ring === undefined) feed.ring = createRing(account, next, memory);
      else
        feed.ring.append(
          events.map(({ position, event }) => frameOf(position, event)),
          next,
        );
      wakeAll(feed);
      if (!more) continue;
      feeds.delete(account);
      feeds.set(account, feed);
    }
  }

  /**
   * One read. With new accounts it returns at once, with the ends of their logs and the news of all others, and so is never aborted for
   * the next ones: after an aborted read comes one that is not, however fast accounts come (I12).
   * @returns whether there is more already
   */
  async function read(): Promise<boolean> {
    clearTimeout(changing);
    changing = undefined;
    waiting = new AbortController();
    const positions = new Map([...feeds].map(([account, { ring }]) => [account, ring?.end()]));
    const news = [...positions.values()].includes(undefined)
      ? await log.follow(positions, 0, stopping.signal)
      : await log.follow(positions, waitMs, AbortSignal.any([stopping.signal, waiting.signal]));
    outage.ended();
    take(news);
    return news.more;
  }

  async function run(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; ) {
      if (feeds.size === 0) {
        wanted = Promise.withResolvers();
        await wanted.promise;
        continue;
      }
      let pause = paceMs;
      try {
        if (await read()) pause = 0;
        failures = 0;
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error === waiting.signal.reason) continue;
        outage.failed(error);
        failures += 1;
        pause = backoff(failures);
      }
      if (pause > 0) await delay(pause, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  function forget(account: Hex, feed: Feed): void {
    feed.ring?.clear();
    feeds.delete(account);
  }

  return {
    name: 'event feeds',
    async start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      wanted.resolve();
      clearTimeout(changing);
      await running;
      for (const [account, feed] of feeds) {
        clearTimeout(feed.leaving);
        forget(account, feed);
      }
    },
    join(account) {
      const feed = feeds.get(account) ?? { ring: undefined, seats: 0, waiting: new Set(), leaving: undefined };
      if (!feeds.has(account)) {
        feeds.set(account, feed);
        change();
      }
      clearTimeout(feed.leaving);
      feed.seats += 1;
      const woken = (signal: AbortSignal): Promise<void> =>
        new Promise((resolve) => {
          const wake = (): void => {
            signal.removeEventListener('abort', give);
            resolve();
          };
          const give = (): void => {
            feed.waiting.delete(wake);
            resolve();
          };
          feed.waiting.add(wake);
          signal.addEventListener('abort', give, { once: true });
        });
      let left = false;
      return {
        read: (after, reader) => feed.ring?.read(after, reader),
        async news(after, signal) {
          while (!signal.aborted && (feed.ring?.end() ?? 0) <= after) await woken(signal);
        },
        async end(signal) {
          while (feed.ring === undefined) {
            signal.throwIfAborted();
            await woken(signal);
          }
          return feed.ring.end();
        },
        leave() {
          if (left) return;
          left = true;
          feed.seats -= 1;
          if (feed.seats === 0) feed.leaving = setTimeout(() => forget(account, feed), lingerMs).unref();
        },
      };
    },
  };
}
