import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Row } from '../scenario.ts';
import type { Watched } from './process-cpu.ts';
import { medianOf } from './statistics.ts';

const sampleMs = 100;
const restMs = 2_000;

/**
 * Compares the peak resident memory of processes, as the kernel records it, with their memory at rest, now. Shared
 * pages count whole. `rows` has a row for each process and kind of work, in MB of 10^6 bytes.
 * @throws Error without /proc, and when a process ends or is replaced during the work
 */
export async function watchMemory(
  processes: readonly Watched[],
): Promise<{ during(what: string, work: () => Promise<void>): Promise<void>; rows(): Row[] }> {
  const pids = processes.map(({ pid }) => pid());
  const read = (field: 'VmRSS' | 'VmHWM'): Promise<number[]> =>
    Promise.all(
      processes.map(({ name, pid }, index) => {
        if (pid() !== pids[index]) throw new Error(`${name} ended during the measurement`);
        return megabytesOf(name, pid(), field);
      }),
    );
  const resting: number[][] = [];
  for (const until = performance.now() + restMs; performance.now() < until; await delay(sampleMs))
    resting.push(await read('VmRSS'));
  const grown = new Map<string, number[]>();
  return {
    async during(what, work) {
      // Sets VmHWM back to VmRSS.
      for (const pid of pids) await writeFile(`/proc/${pid}/clear_refs`, '5');
      await work();
      const highest = await read('VmHWM');
      for (const [index, { name }] of processes.entries()) {
        const atRest = medianOf(resting.map((values) => values[index] as number));
        const row = `${what}, ${name} grows`;
        grown.set(row, [...(grown.get(row) ?? []), (highest[index] as number) - atRest]);
      }
    },
    rows: () => [...grown].map(([what, rounds]) => ({ what, unit: 'MB', rounds })),
  };
}

/** The resident memory of each process, in MB of 10^6 bytes. @throws Error without /proc, and when a process does not run */
export async function residentMegabytes(processes: readonly Watched[]): Promise<Map<string, number>> {
  const read = processes.map(async ({ name, pid }) => [name, await megabytesOf(name, pid(), 'VmRSS')] as const);
  return new Map(await Promise.all(read));
}

async function megabytesOf(name: string, pid: number | undefined, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch((error: unknown) => {
    throw new Error(`${name} does not run: its memory cannot be read`, { cause: error });
  });
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`${name} has ended: its memory cannot be read`);
  return (Number(kibibytes) * 1_024) / 1e6;
}
