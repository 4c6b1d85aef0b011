import { createFairShare } from '@indelible/service-runtime';
import { Gauge, type Registry } from 'prom-client';
import { unavailable } from '../errors/http-error.ts';

/** One request's part of the memory for bodies and responses. */
export type HeldBytes = {
  /** @throws HttpError 503 when the account has its share of the memory, or all of it is taken */
  hold(bytes: number): void;
};

/** Bodies up to this are not counted: the bound of requests bounds them. */
export const uncountedBytes = 4 * 1024;

/**
 * Bounds the bytes of bodies and responses that this process holds whole: inline data, JSON, forms. Streamed bytes do
 * not count. Accounts share the memory.
 */
export function createByteBudget(options: { readonly maxHeldBytes: number; readonly metrics: Registry }) {
  const shares = createFairShare(options.maxHeldBytes);
  new Gauge({
    name: 'indelible_gateway_held_bytes',
    help: 'Bytes of bodies and answers that are held as a whole',
    registers: [options.metrics],
    collect() {
      this.set(shares.taken());
    },
  });
  return {
    /** @param atEnd calls its argument once, at the end of the request */
    of(account: string, atEnd: (free: () => void) => void): HeldBytes {
      let held = 0;
      let over = false;
      let listens = false;
      const free = (): void => {
        over = true;
        if (held > 0) shares.give(account, held);
        held = 0;
      };
      return {
        hold(bytes) {
          if (over || bytes === 0) return;
          if (!shares.take(account, bytes)) throw unavailable('too many bytes at once; try again');
          held += bytes;
          if (listens) return;
          listens = true;
          atEnd(free);
        },
      };
    },
  };
}

export type ByteBudget = ReturnType<typeof createByteBudget>;
