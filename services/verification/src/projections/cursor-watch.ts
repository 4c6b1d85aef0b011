import { setTimeout as delay } from 'node:timers/promises';
import { createListener } from '@indelible/postgres';
import { type Component, type Logger, UnavailableError } from '@indelible/service-runtime';
import { cursorChannel } from './cursors.ts';

export type Block = { readonly chainId: number; readonly number: number };

/** A request that waits for a block. Register it before reading the cursor, so that no notification is missed. */
export type BlockWaiter = {
  /** Resolves when a replica's projection has reached the block, or after `timeoutMs`. */
  woken(timeoutMs: number): Promise<void>;
  close(): void;
};

export type CursorWatch = {
  /** @throws UnavailableError when too many are waiting */
  expect(block: Block): BlockWaiter;
};

const maxWaiters = 5_000;

/**
 * Wakes requests with LISTEN, on one shared connection, when any replica's projection has advanced. This only saves
 * time: each request also reads the cursor after a bounded time. So without a connection responses are later, and the
 * service is still ready.
 */
export function createCursorWatch(options: {
  readonly url: string;
  readonly schema: string;
  readonly logger: Logger;
}): Component & CursorWatch {
  const { url, schema, logger } = options;
  const waiters = new Set<Block & { readonly wake: () => void }>();
  const { name, start, stop } = createListener({
    ...{ url, logger, name: 'cursor watch', applicationName: `cursor watch of ${schema}` },
    ...{ channel: cursorChannel(schema), listensFor: 'new blocks' },
    onNotification(payload) {
      const [chainId, number = Number.NaN] = payload.split(':').map(Number);
      for (const waiter of waiters) if (waiter.chainId === chainId && number >= waiter.number) waiter.wake();
    },
  });

  return {
    ...{ name, start, stop },
    expect(block) {
      if (waiters.size >= maxWaiters) throw new UnavailableError('too many requests wait for a block');
      const reached = Promise.withResolvers<void>();
      const waiter = { ...block, wake: reached.resolve };
      waiters.add(waiter);
      return {
        async woken(timeoutMs) {
          const timer = new AbortController();
          await Promise.race([reached.promise, delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {})]);
          timer.abort();
        },
        close: () => void waiters.delete(waiter),
      };
    },
  };
}
