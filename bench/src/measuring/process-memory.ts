import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { medianOf } from './statistics.ts';

const sampleMs = 100;
const restMs = 2_000;

/** A process by its name; `pid` changes when it is started again. */
export type Watched = { readonly name: string; readonly pid: () => number | undefined };
/** How far a process's resident memory rose above what it was at rest, in MB of 10^6 bytes. */
export type Growth = { readonly name: string; readonly megabytes: number };

/**
 * Watches the resident memory of processes (shared pages are counted whole) against what they held at rest, now. Beside
 * the samples the kernel's own high-water mark counts, where it can be set back: nothing between two samples is missed.
 * @throws Error where there is no /proc, and when a process ends or is replaced meanwhile
 */
export async function watchMemory(
  processes: readonly Watched[],
): Promise<{ during(work: () => Promise<void>): Promise<Growth[]> }> {
  const watched = processes.map(({ name, pid }) => {
    const first = pid();
    const read = async (field: 'VmRSS' | 'VmHWM'): Promise<number> => {
      if (first === undefined || pid() !== first) throw new Error(`${name} ended in the middle of the measurement`);
      return megabytesOf(first, field);
    };
    return { name, read, forgetPeak: () => writeFile(`/proc/${first}/clear_refs`, '5').then(yes, no) };
  });
  const sample = (): Promise<number[]> => Promise.all(watched.map(({ read }) => read('VmRSS')));
  const resting: number[][] = [];
  for (const until = performance.now() + restMs; performance.now() < until; await delay(sampleMs))
    resting.push(await sample());
  const atRest = watched.map((_process, index) => medianOf(resting.map((values) => values[index] as number)));

  return {
    async during(work) {
      const marked = await Promise.all(watched.map(({ forgetPeak }) => forgetPeak()));
      const peaks = await sample();
      const take = async (): Promise<void> => {
        for (const [index, value] of (await sample()).entries()) peaks[index] = Math.max(peaks[index] as number, value);
      };
      const done = new AbortController();
      const sampling = (async () => {
        for (; !done.signal.aborted; await delay(sampleMs, undefined, { signal: done.signal }).catch(no)) await take();
      })();
      sampling.catch(no);
      try {
        await work();
      } finally {
        done.abort();
      }
      await sampling;
      return Promise.all(
        watched.map(async ({ name, read }, index) => {
          const highest = marked[index] === true ? await read('VmHWM') : 0;
          return { name, megabytes: Math.max(highest, peaks[index] as number) - (atRest[index] as number) };
        }),
      );
    },
  };
}

/** What each process holds now, in MB of 10^6 bytes. @throws Error where there is no /proc, and when a process is not there */
export async function residentMegabytes(processes: readonly Watched[]): Promise<Map<string, number>> {
  return new Map(
    await Promise.all(
      processes.map(async ({ name, pid }) => {
        const id = pid();
        if (id === undefined) throw new Error(`${name} does not run: its memory cannot be read`);
        return [name, await megabytesOf(id, 'VmRSS')] as const;
      }),
    ),
  );
}

const yes = (): boolean => true;
const no = (): boolean => false;

async function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch((error: unknown) => {
    throw new Error('memory is read of Linux’s /proc, which has no such process here', { cause: error });
  });
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`/proc/${pid}/status has no ${field}`);
  return (Number(kibibytes) * 1_024) / 1e6;
}
