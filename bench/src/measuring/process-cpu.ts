import { readdir, readFile } from 'node:fs/promises';

/** A process by its name; `pid` changes when it is restarted. */
export type Watched = { readonly name: string; readonly pid: () => number | undefined };

/** USER_HZ: the unit of /proc, the same on every Linux. */
const ticksPerSecond = 100;

/**
 * CPU seconds of each process since its start, in user and kernel mode, including descendants and ended children.
 * @throws Error without /proc, and when a process does not run
 */
export async function readCpuSeconds(processes: readonly Watched[]): Promise<Map<string, number>> {
  const all = await readProcesses();
  return new Map(
    processes.map(({ name, pid }) => {
      const root = pid();
      if (root === undefined || !all.has(root)) throw new Error(`${name} does not run: its CPU time cannot be read`);
      return [name, ticksOfTree(all, root) / ticksPerSecond];
    }),
  );
}

type Process = { readonly parent: number; readonly ticks: number };

function ticksOfTree(all: ReadonlyMap<number, Process>, root: number): number {
  let ticks = all.get(root)?.ticks ?? 0;
  for (const [pid, { parent }] of all) if (parent === root) ticks += ticksOfTree(all, pid);
  return ticks;
}

async function readProcesses(): Promise<Map<number, Process>> {
  const all = new Map<number, Process>();
  await Promise.all(
    (await readdir('/proc')).map(async (name) => {
      if (!/^\d+$/.test(name)) return;
      const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => undefined);
      if (stat !== undefined) all.set(Number(name), readStat(stat));
    }),
  );
  return all;
}

/** The program's name may contain blanks and brackets; after its last bracket are the state, the parent, and more. */
export function readStat(stat: string): Process {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (at: number): number => Number(fields[at]);
  return { parent: number(1), ticks: number(11) + number(12) + number(13) + number(14) };
}
