import type { Hex } from '@indelible/identifiers';
import { createListener } from '@indelible/postgres';
import { type Component, type Logger, UnavailableError } from '@indelible/service-runtime';
import { logChannel } from './log.ts';

/** A reader that waits for an account's next events. Register it before reading, so that no notification is missed. */
export type LogWaiter = {
  /**
   * Resolves with true when the account's log has grown since the last call; with false when `signal` aborts, or the
   * service stops.
   */
  woken(signal: AbortSignal): Promise<boolean>;
  close(): void;
};

/** The same for many accounts. */
export type LogFollower = {
  /** Accounts whose logs may have grown since the last call; none when `signal` aborts, or the service stops. */
  grown(signal: AbortSignal): Promise<ReadonlySet<Hex>>;
  close(): void;
};

export type LogWatch = {
  /** @throws UnavailableError when too many are waiting */
  expect(account: Hex): LogWaiter;
  /** For gateways, whose number bounds these. */
  follow(accounts: Iterable<Hex>): LogFollower;
};

const maxWaiters = 5_000;

/**
 * Wakes readers with LISTEN, on one connection for all; and all of them when it listens again after a lost connection.
 */
export function createLogWatch(options: { readonly url: string; readonly logger: Logger }): Component & LogWatch {
  const waiters = new Map<Hex, Set<() => void>>();
  let count = 0;
  const stopping = new AbortController();

  const wakeAll = (): void => {
    for (const wakes of waiters.values()) for (const wake of wakes) wake();
  };
  const listener = createListener({
    ...options,
    ...{ name: 'log watch', applicationName: 'notifications log watch', channel: logChannel, listensFor: 'new events' },
    onListening: wakeAll,
    onNotification(payload) {
      if (payload === '') wakeAll();
      else for (const account of payload.split(' ')) for (const wake of waiters.get(account as Hex) ?? []) wake();
    },
  });

  function follow(accounts: Iterable<Hex>): LogFollower {
    let grown = new Set<Hex>();
    let wake = (): void => {};
    const own = new Map<Hex, () => void>();
    for (const account of accounts) {
      const onGrown = (): void => {
        grown.add(account);
        wake();
      };
      own.set(account, onGrown);
      const others = waiters.get(account);
      if (others === undefined) waiters.set(account, new Set([onGrown]));
      else others.add(onGrown);
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
        for (const [account, onGrown] of own) {
          const others = waiters.get(account);
          if (others?.delete(onGrown) === true && others.size === 0) waiters.delete(account);
        }
      },
    };
  }

  return {
    ...listener,
    async stop() {
      stopping.abort();
      await listener.stop();
    },
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
