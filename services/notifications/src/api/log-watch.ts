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

/** The same for the next events of many accounts. */
export type LogFollower = {
  /** The accounts whose logs may have grown since it was last called; none when `signal` aborts, or the service stops. */
  grown(signal: AbortSignal): Promise<ReadonlySet<Hex>>;
  close(): void;
};

export type LogWatch = {
  /** @throws UnavailableError when too many wait already */
  expect(account: Hex): LogWaiter;
  /** For the gateways, whose number bounds how many there are. */
  follow(accounts: Iterable<Hex>): LogFollower;
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

  function follow(accounts: Iterable<Hex>): LogFollower {
    let grown = new Set<Hex>();
    let wake = (): void => {};
    const own = new Map<Hex, () => void>();
    for (const account of accounts) {
      const hear = (): void => {
        grown.add(account);
        wake();
      };
      own.set(account, hear);
      const others = waiters.get(account);
      if (others === undefined) waiters.set(account, new Set([hear]));
      else others.add(hear);
    }
    return {
      async grown(signal) {
        const ended = AbortSignal.any([signal, stopping.signal]);
        if (grown.size === 0 && !ended.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve;
            ended.addEventListener('abort', wake, { once: true });
          });
        ended.removeEventListener('abort', wake);
        if (ended.aborted) return new Set();
        const found = grown;
        grown = new Set();
        return found;
      },
      close() {
        for (const [account, hear] of own) {
          const others = waiters.get(account);
          if (others?.delete(hear) === true && others.size === 0) waiters.delete(account);
        }
      },
    };
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
      const follower = follow([account]);
      let open = true;
      return {
        woken: async (signal) => (await follower.grown(signal)).size > 0,
        close() {
          if (open) count -= 1;
          open = false;
          follower.close();
        },
      };
    },
    follow,
  };
}
