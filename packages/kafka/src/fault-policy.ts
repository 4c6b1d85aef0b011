import type { Unhandled } from '@indelible/messages';
import { type FaultClass, faultClassOf } from '@indelible/service-runtime';
import { toError } from './errors.ts';

/** The one message of a partition that fails alone. Kept across deliveries. */
export type Suspect = {
  readonly id: string;
  failures: number;
  /** Failures that count: others of its topic were handled since the previous failure. */
  strikes: number;
  /** How many calls of the topic had succeeded at its last failure. */
  seen: number;
};

/** The suspect of one partition, if any. */
export type Suspects = { get(): Suspect | undefined; set(suspect: Suspect | undefined): void };

export type FaultPolicyOptions<Item> = {
  /** Milliseconds before the attempt after `failures` failures. */
  readonly backoff: (failures: number) => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** All or nothing. `alone`: it, or one near it, failed before, so it must not be mixed with others. */
  readonly handle: (items: readonly Item[], alone: boolean) => Promise<void>;
  /** Sets aside an item that cannot be handled; resolves when done. */
  readonly setAside: (item: Item, error: Error, attempts: number) => Promise<void>;
  readonly onRetry: (error: Error, attempt: number, delayMs: number) => void;
  readonly idOf: (item: Item) => string;
  readonly suspects: Suspects;
  /** Successful calls of the topic, in all partitions. */
  readonly successes: { count(): number; note(): void };
  /** By the topic's contract. */
  readonly unhandled: Unhandled;
};

type Rule = {
  /** Failures of a group before it is halved. */
  readonly halveAfter: number;
  /** Failures of one message before others of its partition are tried ahead of it. */
  readonly probeAfter: number;
  /** Strikes after which a message is set aside. */
  readonly maxStrikes: number;
  /**
   * The longest wait before an attempt: short where no server needs a rest, since others of the partition wait (I12).
   */
  readonly maxDelayMs: number;
};

const never = Number.POSITIVE_INFINITY;
/** The longest that `backoff` says. */
const full = Number.POSITIVE_INFINITY;
const soon = 2_000;
const rules: Readonly<Record<FaultClass, Rule>> = {
  permanent: { halveAfter: 1, probeAfter: never, maxStrikes: 0, maxDelayMs: soon },
  programming: { halveAfter: 1, probeAfter: 1, maxStrikes: 1, maxDelayMs: soon },
  // Fewer messages take less time: halve at once.
  timeout: { halveAfter: 1, probeAfter: 3, maxStrikes: 5, maxDelayMs: full },
  unknown: { halveAfter: 2, probeAfter: 5, maxStrikes: 5, maxDelayMs: soon },
  contended: { halveAfter: 2, probeAfter: 5, maxStrikes: 10, maxDelayMs: full },
  unavailable: { halveAfter: never, probeAfter: never, maxStrikes: never, maxDelayMs: full },
};

/**
 * Handles items in their order. A group that fails is retried and halved until the item that fails by itself is found;
 * that item is set aside if it is invalid, or after its last strike. If the topic allows it and none of its other
 * messages are handled meanwhile, items behind it are tried first, one at a time: so one message does not block its
 * partition forever (I11), and if they fail as well, none is set aside.
 */
export const createFaultPolicy = <Item>(options: FaultPolicyOptions<Item>) => {
  const { suspects, successes, idOf, unhandled } = options;
  const isHeld = unhandled === 'hold';
  const mayProbe = unhandled === 'set-aside';

  const attempt = async (items: readonly Item[], alone: boolean, signal: AbortSignal): Promise<Error | undefined> => {
    signal.throwIfAborted();
    try {
      await options.handle(items, alone);
      successes.note();
      return undefined;
    } catch (thrown) {
      // A failure while the partition is being released says nothing about a message.
      signal.throwIfAborted();
      return toError(thrown);
    }
  };

  const noteFailure = (item: Item, { maxStrikes }: Rule): { suspect: Suspect; struck: boolean } => {
    const id = idOf(item);
    const known = suspects.get();
    const suspect = known?.id === id ? known : { id, failures: 0, strikes: 0, seen: successes.count() };
    suspect.failures += 1;
    const struck = maxStrikes < never && suspect.failures > 1 && successes.count() > suspect.seen;
    if (struck) suspect.strikes += 1;
    suspect.seen = successes.count();
    suspects.set(suspect);
    return { suspect, struck };
  };

  return {
    /**
     * Resolves with the items to fetch again, including all behind them, if any. Rejects only when the signal aborts.
     */
    async process(items: readonly Item[], signal: AbortSignal): Promise<readonly Item[]> {
      const left = [...items];
      const isSuspected = (item: Item | undefined) => item !== undefined && suspects.get()?.id === idOf(item);
      let size = isSuspected(left[0]) ? 1 : left.length;
      let failures = 0;
      let alone = isSuspected(left[0]);

      /** Tries one of the items behind the first, a different one each time. */
      const probe = async (turn: number): Promise<void> => {
        const place = 1 + (turn % (left.length - 1));
        const item = left[place];
        if (item !== undefined && (await attempt([item], true, signal)) === undefined) left.splice(place, 1);
      };

      for (let first = left[0]; first !== undefined; first = left[0]) {
        const group = left.slice(0, size);
        const error = await attempt(group, alone, signal);
        if (error === undefined) {
          if (isSuspected(first)) suspects.set(undefined);
          left.splice(0, group.length);
          size = 2 * group.length;
          failures = 0;
          continue;
        }
        alone = true;
        failures += 1;
        const rule = rules[faultClassOf(error)];
        let patience = failures;
        if (group.length > 1) {
          if (failures >= rule.halveAfter) {
            size = Math.ceil(group.length / 2);
            failures = 0;
            if (rule.halveAfter === 1) continue;
          }
        } else {
          const { suspect, struck } = noteFailure(first, rule);
          if (!isHeld && suspect.strikes >= rule.maxStrikes) {
            await options.setAside(first, error, suspect.failures);
            suspects.set(undefined);
            left.splice(0, 1);
            size = 2;
            failures = 0;
            continue;
          }
          patience = suspect.failures;
          // Before the wait, so that after an outage the first item is the first to succeed.
          if (mayProbe && !struck && patience >= rule.probeAfter && left.length > 1) await probe(patience);
        }
        const delayMs = Math.min(options.backoff(patience), rule.maxDelayMs);
        options.onRetry(error, patience, delayMs);
        await options.wait(delayMs, signal);
        if (group.length === 1 && mayProbe && patience >= rule.probeAfter && left.length === 1) return left;
      }
      return [];
    },
  };
};
