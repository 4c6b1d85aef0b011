/**
 * Batches the requests of many callers in one turn of the event loop: under load a thousand locks take a few round
 * trips.
 * @param work resolves with a result for each item, in the same order
 */
export function together<Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  maxItems = 200,
): (item: Item) => Promise<Answer> {
  type Waiting = {
    readonly item: Item;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  };
  let waiting: Waiting[] = [];
  const run = (group: readonly Waiting[]): void => {
    work(group.map(({ item }) => item)).then(
      (answers) => {
        for (const [i, { resolve }] of group.entries()) resolve(answers[i] as Answer);
      },
      (error: unknown) => {
        for (const { reject } of group) reject(error);
      },
    );
  };
  const runAll = (): void => {
    const all = waiting;
    waiting = [];
    for (let start = 0; start < all.length; start += maxItems) run(all.slice(start, start + maxItems));
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(runAll);
      waiting.push({ item, resolve, reject });
    });
}
