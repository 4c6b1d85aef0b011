import { setTimeout as delay } from 'node:timers/promises';
import { sessionAddress } from '@indelible/postgres';
import { type Component, createOutageLog, type Logger, UnavailableError } from '@indelible/service-runtime';
import pg from 'pg';
import { cursorChannel } from './cursors.ts';

export type Block = { readonly chainId: number; readonly number: number };

/** Someone who waits for a block. Register it before reading the cursor, so that no word is missed between. */
export type BlockWaiter = {
  /** Resolves when some replica's projection has told of the block or a later one, or after `timeoutMs`. */
  woken(timeoutMs: number): Promise<void>;
  close(): void;
};

export type CursorWatch = {
  /** @throws UnavailableError when too many wait already */
  expect(block: Block): BlockWaiter;
};

const maxWaiters = 5_000;

/**
 * Hears of every replica's progress by LISTEN on a connection of its own. It is a means of speed only: whoever waits
 * reads the cursor in Postgres again after a bounded time, so a lost connection or word costs latency, never an answer.
 */
export function createCursorWatch(options: {
  readonly url: string;
  readonly schema: string;
  readonly logger: Logger;
}): Component & CursorWatch {
  const { logger } = options;
  const channel = cursorChannel(options.schema);
  const waiters = new Set<Block & { readonly wake: () => void }>();
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  function hear(payload: string | undefined): void {
    const [chainId, number] = (payload ?? '').split(':').map(Number);
    for (const waiter of waiters)
      if (waiter.chainId === chainId && number !== undefined && number >= waiter.number) waiter.wake();
  }

  async function listenOnce(onListening: () => void): Promise<void> {
    const session = new pg.Client({
      ...sessionAddress(options.url),
      application_name: `cursor watch of ${options.schema}`,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    const ended = Promise.withResolvers<void>();
    ended.promise.catch(() => {});
    session.on('error', ended.reject);
    session.on('end', ended.resolve);
    session.on('notification', (notification) => hear(notification.payload));
    const stop = () => ended.resolve();
    stopping.signal.addEventListener('abort', stop, { once: true });
    try {
      await session.connect();
      await session.query(`listen "${channel}"`);
      onListening();
      if (!stopping.signal.aborted) await ended.promise;
    } finally {
      stopping.signal.removeEventListener('abort', stop);
      await session.end().catch(() => {});
    }
  }

  async function run(): Promise<void> {
    const outage = createOutageLog({
      logger,
      waitingFor: 'a Postgres session that hears of new blocks (DATABASE_URL)',
    });
    while (!stopping.signal.aborted) {
      try {
        await listenOnce(outage.ended);
      } catch (error) {
        outage.failed(error);
      }
      await delay(500, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  return {
    name: 'cursor watch',
    async start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    expect(block) {
      if (waiters.size >= maxWaiters) throw new UnavailableError('too many requests wait for a block');
      const told = Promise.withResolvers<void>();
      const waiter = { ...block, wake: told.resolve };
      waiters.add(waiter);
      return {
        async woken(timeoutMs) {
          const timer = new AbortController();
          await Promise.race([told.promise, delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {})]);
          timer.abort();
        },
        close: () => void waiters.delete(waiter),
      };
    },
  };
}
