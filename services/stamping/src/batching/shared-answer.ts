/**
 * A node's response, requested at most once per `maxAgeMs` and shared by lanes and batches. The request has no caller's
 * signal: one caller's abort does not fail the others. Failures are not cached.
 */
export function createSharedAnswer<Answer>(options: {
  readonly ask: (signal: AbortSignal) => Promise<Answer>;
  readonly maxAgeMs: number;
  readonly timeoutMs: number;
  readonly now: () => number;
}): () => Promise<Answer> {
  let known: { at: number; answer: Promise<Answer> } | undefined;
  return () => {
    if (known !== undefined && options.now() - known.at < options.maxAgeMs) return known.answer;
    const answer = options.ask(AbortSignal.timeout(options.timeoutMs));
    const pending = { at: options.now(), answer };
    known = pending;
    answer.catch(() => {
      if (known === pending) known = undefined;
    });
    return answer;
  };
}
