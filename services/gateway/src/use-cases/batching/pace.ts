/**
 * Limits how many lines of a batch may wait for the chain at once. More than the chain confirms within the wait limit
 * would all end as `pending`. So a batch starts with `first` lines and may have as many more as were confirmed in the
 * last `spanMs`: this doubles with each confirmation time until the window is full, and a line waits a little more than
 * `spanMs` if it never is.
 */
export function createPace(options: { readonly first: number; readonly spanMs: number; readonly now?: () => number }) {
  const { first, spanMs, now = () => performance.now() } = options;
  /** Confirmations, oldest first, grouped by 16ths of the span. */
  const recent: { readonly since: number; lines: number }[] = [];
  let sum = 0;
  return {
    /** Counts lines that have their receipts. */
    confirmed(lines: number): void {
      const at = now();
      const last = recent.at(-1);
      if (last !== undefined && at - last.since < spanMs / 16) last.lines += lines;
      else recent.push({ since: at, lines });
      sum += lines;
    },
    /** How many more lines may be taken while `underWay` are in flight; zero or less: wait. */
    room(underWay: number): number {
      const until = now() - spanMs;
      for (let oldest = recent[0]; oldest !== undefined && oldest.since < until; oldest = recent[0]) {
        sum -= oldest.lines;
        recent.shift();
      }
      return first + sum - underWay;
    },
  };
}
