import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism, cpus } from 'node:os';
import { promisify } from 'node:util';
import { medianOf } from './statistics.ts';

/** The machine of a result, and its speed at that time. */
export type Machine = Awaited<ReturnType<typeof describeMachine>>;

export async function describeMachine() {
  const [commit, status] = await Promise.all([git('rev-parse', '--short', 'HEAD'), git('status', '--porcelain')]);
  return {
    commit: commit || 'unknown',
    /** Whether the files differed from the commit's. */
    changed: status !== '',
    node: process.versions.node,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    sha3MegabytesPerSecond: hashSpeed(),
    at: new Date().toISOString(),
  };
}

const git = async (...words: string[]): Promise<string> =>
  promisify(execFile)('git', words, { cwd: import.meta.dirname }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );

function hashSpeed(): number {
  const block = Buffer.alloc(16 * 2 ** 20, 1);
  const once = (): number => {
    const began = performance.now();
    createHash('sha3-256').update(block).digest();
    return block.length / 1e6 / ((performance.now() - began) / 1_000);
  };
  once();
  return medianOf([once(), once(), once()]);
}
