/** Runs work in order of arrival, a limited number of pieces at once; parties take turns (I12). */
export type FairQueue = <Result>(party: string, work: () => Promise<Result>) => Promise<Result>;

export function createFairQueue(atOnce: number): FairQueue {
  /** In the order of the parties' turns. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  function startNext(): void {
    const [next] = waiting;
    if (running >= atOnce || next === undefined) return;
    const [party, own] = next;
    const start = own.shift();
    waiting.delete(party);
    if (own.length > 0) waiting.set(party, own);
    running += 1;
    start?.();
  }

  return async (party, work) => {
    const turn = Promise.withResolvers<void>();
    const own = waiting.get(party);
    if (own === undefined) waiting.set(party, [turn.resolve]);
    else own.push(turn.resolve);
    startNext();
    await turn.promise;
    try {
      return await work();
    } finally {
      running -= 1;
      startNext();
    }
  };
}
