/**
 * Spreads work over turns of the event loop: when thousands of items come at once, the first proceed to their next
 * step, and the network is served, before the last begin. A single item runs at once; the order is kept.
 * @param perTurn how many pieces a turn does
 */
export function createTurns(perTurn: number): (work: () => void) => void {
  let waiting: (() => void)[] = [];
  let next = 0;
  let left = perTurn;
  let turning = false;

  function turn(): void {
    left = perTurn;
    while (left > 0 && next < waiting.length) {
      left--;
      (waiting[next++] as () => void)();
    }
    if (next === waiting.length) {
      waiting = [];
      next = 0;
    }
    turning = left < perTurn;
    if (turning) setImmediate(turn);
  }

  return (work) => {
    if (!turning) {
      turning = true;
      setImmediate(turn);
    }
    if (left > 0 && waiting.length === 0) {
      left--;
      work();
    } else waiting.push(work);
  };
}
