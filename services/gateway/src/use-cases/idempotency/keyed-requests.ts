import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Component, Logger } from '@indelible/service-runtime';
import { commandIdOf } from '../../decisions/idempotency-key.ts';
import type { StampAnswer } from '../stamping/stamp.ts';
import type { KeyedAttempt } from '../stamping/stamp-request.ts';
import type { WaitingRoom } from '../stamping/waiting-room.ts';
import type { CurrentAnswer } from './current-answer.ts';
import type { AccountKey, KeyStore } from './key-store.ts';

export type KeyedRequest = AccountKey & { readonly fingerprint: Buffer };

export type KeyedOutcome =
  | { readonly kind: 'answered'; readonly answer: StampAnswer }
  /** The key names another request. */
  | { readonly kind: 'conflict' }
  /** The first request with this key is still in flight, and the wait limit has passed. */
  | { readonly kind: 'busy' };

export type KeyedRequests = Component & {
  /**
   * Does a request at most once per key: all others get the 2xx of the first one; without a 2xx, the next request takes
   * the key. A wait for another request's response ends with `gone`; work continues, for the next request.
   * @throws what `work` throws; retryable errors when too many wait or Postgres is unavailable
   */
  once(
    request: KeyedRequest,
    work: (attempt: KeyedAttempt) => Promise<StampAnswer>,
    gone?: AbortSignal,
  ): Promise<KeyedOutcome>;
};

const renewEveryMs = 3_000;
const pruneEveryMs = 600_000;
const prunedAtOnce = 10_000;
const pollMs = { first: 50, most: 1_000 };

/** Requests under an `Idempotency-Key` (docs/adr/0009-idempotency-key.md). Postgres decides; Redis is not involved. */
export function createKeyedRequests(options: {
  readonly store: KeyStore;
  readonly currentAnswer: CurrentAnswer;
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly logger: Logger;
}): KeyedRequests {
  const { store, logger } = options;
  /** Requests in flight in this process, by key and fingerprint: equal ones wait for their outcome. */
  const underWay = new Map<string, Promise<StampAnswer | undefined>>();
  const held = new Map<string, AccountKey & { readonly holder: string }>();
  let timers: NodeJS.Timeout[] = [];
  let background: Promise<void> = Promise.resolve();

  async function taken(
    request: KeyedRequest,
    signal: AbortSignal,
    work: (attempt: KeyedAttempt) => Promise<StampAnswer>,
    following: AbortSignal,
  ): Promise<KeyedOutcome> {
    const { fingerprint } = request;
    const holder = randomUUID();
    for (let pause = pollMs.first; ; pause = Math.min(pause * 2, pollMs.most)) {
      const answer = await store.take(request, { fingerprint, holder, generation: randomUUID() });
      if (answer.kind === 'taken')
        return { kind: 'answered', answer: await asHolder(request, holder, answer, signal, work) };
      if (!answer.fingerprint.equals(fingerprint)) return { kind: 'conflict' };
      if (answer.kind === 'kept')
        return { kind: 'answered', answer: await options.currentAnswer(request.account, answer.answer) };
      if (!(await passes(delay(pause, undefined, { signal: following }), following))) return { kind: 'busy' };
    }
  }

  async function asHolder(
    request: KeyedRequest,
    holder: string,
    { generation, resumed }: { generation: string; resumed: boolean },
    signal: AbortSignal,
    work: (attempt: KeyedAttempt) => Promise<StampAnswer>,
  ): Promise<StampAnswer> {
    const { account, key, fingerprint } = request;
    held.set(holder, { account, key, holder });
    try {
      const commandId = commandIdOf(account, key, generation, fingerprint);
      const answer = await work({ commandId, resumed, signal });
      // Stored before it is returned: later requests get the same.
      if (answer.kind === 'refused') await leave(() => store.forget(request, holder));
      else if (answer.kind === 'pending') await leave(() => store.free(request, holder));
      else await store.keep(request, holder, answer);
      return answer;
    } catch (error) {
      await leave(() => store.free(request, holder));
      throw error;
    } finally {
      held.delete(holder);
    }
  }

  /** A key that was not released is free at the end of its lease. */
  async function leave(giveBack: () => Promise<void>): Promise<void> {
    await giveBack().catch((error: unknown) => logger.warn({ err: error }, 'Idempotency key not released'));
  }

  const inBackground = (what: string, work: () => Promise<void>): void => {
    background = background.then(work).catch((error: unknown) => logger.warn({ err: error }, what));
  };

  return {
    name: 'idempotency keys',
    async start() {
      const renew = async (): Promise<void> => {
        if (held.size > 0) await store.renew([...held.values()]);
      };
      const prune = async (): Promise<void> => {
        while ((await store.prune(prunedAtOnce)) === prunedAtOnce && timers.length > 0);
      };
      timers = [
        setInterval(() => inBackground('idempotency keys could not be renewed', renew), renewEveryMs),
        setInterval(() => inBackground('expired idempotency keys could not be removed', prune), pruneEveryMs),
      ];
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      timers = [];
      await background;
    },
    async once(request, work, gone) {
      const ticket = options.waitingRoom.enter(request.account);
      const following = gone === undefined ? ticket.signal : AbortSignal.any([ticket.signal, gone]);
      const name = JSON.stringify([request.account, request.key, request.fingerprint.toString('hex')]);
      try {
        for (let ahead = underWay.get(name); ahead !== undefined; ahead = underWay.get(name)) {
          if (!(await passes(ahead, following))) return { kind: 'busy' };
          const answer = await ahead;
          if (answer !== undefined) return { kind: 'answered', answer };
        }
        const finished = Promise.withResolvers<StampAnswer | undefined>();
        underWay.set(name, finished.promise);
        let outcome: KeyedOutcome | undefined;
        try {
          outcome = await taken(request, ticket.signal, work, following);
          return outcome;
        } finally {
          underWay.delete(name);
          finished.resolve(outcome?.kind === 'answered' && isKept(outcome.answer) ? outcome.answer : undefined);
        }
      } finally {
        ticket.leave();
      }
    },
  };
}

const isKept = ({ kind }: StampAnswer): boolean => kind !== 'pending' && kind !== 'refused';

/** Whether a promise that rejects by this signal alone is fulfilled before the signal aborts. */
async function passes(promise: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  // Handled from the start: a promise made from an aborted signal is rejected before anything awaits it.
  const fulfilled = promise.then(
    () => true,
    () => false,
  );
  const aborted = Promise.withResolvers<false>();
  const onAbort = (): void => aborted.resolve(false);
  if (signal.aborted) return false;
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([fulfilled, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
