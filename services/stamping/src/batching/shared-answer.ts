/**
 * A node's answer, requested at most once per `maxAgeMs`: lanes and batches share it. The request has no caller's
 * signal, so that one that gives up does not fail the others. A failure is not remembered.
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
