import { answeredElsewhere, type Member } from './member.ts';

/** How many reads may be sent twice: each read earns a share of a second request. */
export type HedgeBudget = { earn(): void; take(): boolean };

const mostSaved = 10;

/** @param share of the reads that may be sent twice: 0 none, 1 all */
export function createHedgeBudget(share: number): HedgeBudget {
  let saved = share > 0 ? 1 : 0;
  return {
    earn: () => {
      saved = Math.min(mostSaved, saved + share);
    },
    take: () => {
      if (saved < 1) return false;
      saved--;
      return true;
    },
  };
}

export type HedgedQuestion<Answer> = {
  readonly first: Member;
  /** Called once, after the delay; undefined: no second request. */
  readonly second: () => Member | undefined;
  readonly delayMs: number;
  /** Of the first, not to be known from the time it takes. */
  readonly ask: (member: Member, signal: AbortSignal) => Promise<Answer>;
  readonly isGood: (answer: Answer) => boolean;
  readonly signal: AbortSignal;
};

/**
 * Queries one endpoint, and another as well when it takes unusually long. The first good answer wins and the other
 * request is cancelled; other answers, and errors, count when there is no better one.
 * @throws what the last of them threw; the signal's reason
 */
export async function askHedged<Answer>(question: HedgedQuestion<Answer>): Promise<Answer> {
  const { first, second, delayMs, ask, isGood, signal } = question;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const running = new Set<AbortController>();
  let poor: { readonly answer: Answer } | undefined;

  const start = async (member: Member): Promise<void> => {
    const controller = new AbortController();
    running.add(controller);
    try {
      const answer = await ask(member, controller.signal);
      running.delete(controller);
      if (isGood(answer) || running.size === 0) resolve(answer);
      else poor = { answer };
    } catch (error) {
      running.delete(controller);
      if (running.size > 0) return;
      if (poor === undefined) reject(error);
      else resolve(poor.answer);
    }
  };

  const onAbort = (): void => {
    for (const controller of running) controller.abort(signal.reason);
    reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    const member = second();
    if (member !== undefined) void start(member);
  }, delayMs);
  void start(first);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    for (const controller of running) controller.abort(answeredElsewhere);
  }
}
