/** Time limits of equal length: they end in the order they were added, so one timer serves thousands. */
export function createDeadlines(limitMs: number) {
  const untils = new Map<() => void, number>();
  let timer: NodeJS.Timeout | undefined;

  function endDue(): void {
    timer = undefined;
    const now = performance.now();
    for (const [end, until] of untils) {
      if (until > now) {
        // An end may have added another.
        clearTimeout(timer);
        timer = setTimeout(endDue, Math.ceil(until - now));
        return;
      }
      untils.delete(end);
      end();
    }
  }
  return {
    /** Calls `end` when the time is over, unless removed before. */
    add(end: () => void): void {
      untils.set(end, performance.now() + limitMs);
      timer ??= setTimeout(endDue, limitMs);
    },
    /** False: already ended or removed. */
    remove(end: () => void): boolean {
      if (!untils.delete(end)) return false;
      if (untils.size > 0) return true;
      clearTimeout(timer);
      timer = undefined;
      return true;
    },
  };
}

export type Deadlines = ReturnType<typeof createDeadlines>;
