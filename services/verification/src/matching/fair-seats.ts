import type { Hex } from '@indelible/identifiers';
import { UnavailableError } from '@indelible/service-runtime';

/** A number of places shared by accounts: none exceeds its share, and waiting ones take turns. */
export type FairSeats = {
  /**
   * Waits for a place. @returns gives it back; calls after the first do nothing
   * @throws UnavailableError when too many wait, or none comes free in time; the signal's reason
   */
  take(account: Hex, signal: AbortSignal): Promise<() => void>;
};

export type SeatSettings = {
  readonly seats: number;
  /** The most places of one account. */
  readonly perAccount: number;
  /** Per account; over it the next is refused. */
  readonly maxWaiting: number;
  readonly waitMs: number;
};

type Waiter = { readonly seated: () => void };

export function createFairSeats({ seats, perAccount, maxWaiting, waitMs }: SeatSettings): FairSeats {
  const taken = new Map<Hex, number>();
  /** In turn order: an account that got a place goes to the end. */
  const waiting = new Map<Hex, Set<Waiter>>();
  let free = seats;

  const mayTake = (account: Hex): boolean => free > 0 && (taken.get(account) ?? 0) < perAccount;

  function seat(account: Hex): void {
    free--;
    taken.set(account, (taken.get(account) ?? 0) + 1);
  }
  function leave(account: Hex): void {
    free++;
    const left = (taken.get(account) ?? 0) - 1;
    if (left > 0) taken.set(account, left);
    else taken.delete(account);
    callNext();
  }
  function callNext(): void {
    for (const [account, waiters] of waiting) {
      if (!mayTake(account)) continue;
      const [next] = waiters;
      if (next === undefined) continue;
      waiting.delete(account);
      waiters.delete(next);
      if (waiters.size > 0) waiting.set(account, waiters);
      seat(account);
      next.seated();
      return;
    }
  }
  const once = (account: Hex): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) leave(account);
      isHeld = false;
    };
  };

  return {
    async take(account, signal) {
      signal.throwIfAborted();
      const waiters = waiting.get(account) ?? new Set();
      if (waiters.size === 0 && mayTake(account)) {
        seat(account);
        return once(account);
      }
      if (waiters.size >= maxWaiting) throw new UnavailableError('too many verifications of this account wait');
      await new Promise<void>((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
        };
        const waiter: Waiter = {
          seated() {
            end();
            resolve();
          },
        };
        const leaveQueue = (error: unknown): void => {
          end();
          waiters.delete(waiter);
          if (waiters.size === 0) waiting.delete(account);
          reject(error as Error);
        };
        const giveUp = (): void => leaveQueue(signal.reason);
        const timer = setTimeout(() => leaveQueue(new UnavailableError('no session came free in time')), waitMs);
        signal.addEventListener('abort', giveUp, { once: true });
        waiters.add(waiter);
        waiting.set(account, waiters);
      });
      return once(account);
    },
  };
}
