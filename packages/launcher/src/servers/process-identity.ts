import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process by pid and start time, so that another process with a reused pid is never taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process in the same boot of the machine. */
  readonly startedAt: string;
}

const run = promisify(execFile);

/** The identity of the process with this pid now, or undefined if there is none (or a zombie). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startTimeOnLinux(pid) : await startTimeByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether that very process still runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startedAt === identity.startedAt;
}

/** Reads state (field 3) and start time (field 22) behind the command's name, which may itself hold blanks and brackets. */
export function parseStat(stat: string): { state: string; startTime: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state && startTime ? { state, startTime } : undefined;
}

async function startTimeOnLinux(pid: number): Promise<string | undefined> {
  try {
    const [stat, bootId] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    ]);
    const parsed = parseStat(stat);
    return parsed === undefined || parsed.state === 'Z' ? undefined : `${bootId.trim()}/${parsed.startTime}`;
  } catch {
    return undefined;
  }
}

async function startTimeByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const line = stdout.trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}
