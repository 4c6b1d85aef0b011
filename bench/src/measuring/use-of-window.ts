import type { Mark } from '../load/jobs.ts';

/** Readings that only grow, by name: CPU seconds, bytes. */
export type Readings = ReadonlyMap<string, number>;

/**
 * Does work that marks where its measured part begins and ends, and tells how far each reading grew between the two.
 * @throws what the work or the reading throws
 */
export async function useDuring<Outcome>(
  read: () => Promise<Readings>,
  work: (onMark: (mark: Mark) => void) => Promise<Outcome>,
): Promise<{ readonly outcome: Outcome; readonly used: Readings }> {
  const readings: Partial<Record<Mark, Promise<Readings>>> = {};
  const outcome = await work((mark) => {
    readings[mark] = read();
    // Reported when the work is done; until then nobody waits for it.
    readings[mark]?.catch(() => {});
  });
  const [before, after] = [await readings.begin, await readings.end];
  if (before === undefined || after === undefined) throw new Error('the work did not mark its measured part');
  const used = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return { outcome, used: new Map(used) };
}
