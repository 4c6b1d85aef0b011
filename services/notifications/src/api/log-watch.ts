import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { openWatchedSession } from '@indelible/postgres';
import { type Component, createOutageLog, type Logger, UnavailableError } from '@indelible/service-runtime';
import { logChannel } from '../tables/log.ts';

/** A reader that waits for an account's next events. Register it before reading, so that no notification is missed between. */
export type LogWaiter = {
  /** Resolves with true when the account's log has grown since it was last called; with false when `signal` aborts, or the service stops. */
  woken(signal: AbortSignal): Promise<boolean>;
  close(): void;
};

export type LogWatch = {
  /** @throws UnavailableError when too many wait already */
  expect(account: Hex): LogWaiter;
};

const maxWaiters = 5_000;
/** After a lost connection nothing is missed for longer: every waiter reads again. */
const reconnectMs = 500;

/** Wakes readers by LISTEN, on one connection for all of them. After a lost connection it wakes all: they may have missed something. */
export function createLogWatch(options: { readonly url: string; readonly logger: Logger }): Component & LogWatch {
  const { logger } = options;
  const waiters = new Map<Hex, Set<() => void>>();
  let count = 0;
  const stopping = new AbortController();
  let running = Promise.resolve();
  let connected = false;

  const wakeAll = (): void => {
    for (const of of waiters.values()) for (const wake of of) wake();
  };
  const hear = (payload: string | undefined): void => {
    if (payload === undefined || payload === '') wakeAll();
    else for (const account of payload.split(' ')) for (const wake of waiters.get(account as Hex) ?? []) wake();
  };

  async function listenOnce(): Promise<void> {
    const session = await openWatchedSession({ url: options.url, applicationName: 'notifications log watch' });
    const ended = AbortSignal.any([stopping.signal, session.lost]);
    session.client.on('notification', ({ payload }) => hear(payload));
    try {
      await session.client.query(`listen "${logChannel}"`);
      connected = !ended.aborted;
      outage.ended();
      wakeAll();
      if (!ended.aborted) await once(ended, 'abort');
    } finally {
      connected = false;
      await session.close();
    }
  }

  const outage = createOutageLog({
    logger,
    waitingFor: 'a Postgres session that hears of new events (DATABASE_URL)',
  });

  return {
    name: 'log watch',
    async start() {
      running = (async () => {
        while (!stopping.signal.aborted) {
          try {
            await listenOnce();
          } catch (error) {
            outage.failed(error);
          }
          await delay(reconnectMs, undefined, { signal: stopping.signal }).catch(() => {});
        }
      })();
    },
    async stop() {
      stopping.abort();
      wakeAll();
      await running;
    },
    ready: () => connected,
    expect(account) {
      if (count >= maxWaiters) throw new UnavailableError('too many requests wait for events');
      count += 1;
      let grown = Promise.withResolvers<void>();
      const wake = (): void => grown.resolve();
      const own = waiters.get(account) ?? new Set();
      waiters.set(account, own.add(wake));
      return {
        async woken(signal) {
          const ended = AbortSignal.any([signal, stopping.signal]);
          const aborted = Promise.withResolvers<void>();
          const onAbort = (): void => aborted.resolve();
          if (ended.aborted) onAbort();
          ended.addEventListener('abort', onAbort, { once: true });
          await Promise.race([grown.promise, aborted.promise]);
          ended.removeEventListener('abort', onAbort);
          grown = Promise.withResolvers();
          return !ended.aborted;
        },
        close() {
          if (!own.delete(wake)) return;
          count -= 1;
          if (own.size === 0 && waiters.get(account) === own) waiters.delete(account);
        },
      };
    },
  };
}
