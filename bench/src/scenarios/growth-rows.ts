import type { Growth } from '../measuring/process-memory.ts';
import type { Row } from '../scenario.ts';

/** Collects the growth of each process over rounds: a row a process and kind of work. */
export function createGrowthRows(): { add(work: string, grown: readonly Growth[]): void; rows(): Row[] } {
  const found = new Map<string, number[]>();
  return {
    add(work, grown) {
      for (const { name, megabytes } of grown) {
        const what = `${work}, ${name} grows`;
        found.set(what, [...(found.get(what) ?? []), megabytes]);
      }
    },
    rows: () => [...found].map(([what, rounds]) => ({ what, unit: 'MB', rounds })),
  };
}
