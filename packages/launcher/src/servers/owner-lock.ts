import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './error-code.ts';
import { InfrastructureError } from './infrastructure-error.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';

/** A data directory that this process alone may run servers on until `release`. */
export interface OwnerLock {
  release(): Promise<void>;
}

/**
 * Takes the data directory for this process. A lock whose process no longer runs is taken over.
 * Throws {@link InfrastructureError} (not retryable) if a running process holds it.
 */
export async function lockDirectory(dataDir: string): Promise<OwnerLock> {
  const file = join(dataDir, 'owner.json');
  await mkdir(dataDir, { recursive: true });
  const self = await identifyProcess(process.pid);
  if (self === undefined) throw new Error('this process cannot see its own start time');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      await writeFile(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
      return { release: () => rm(file, { force: true }) };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const owner = parseIdentity(await readFile(file, 'utf8').catch(() => ''));
    if (owner !== undefined && (await isAlive(owner))) {
      throw new InfrastructureError(
        `Process ${owner.pid} is already running the infrastructure of ${dataDir}`,
        'stop it (Ctrl-C, or SIGTERM to that process) and start again',
      );
    }
    await rm(file, { force: true });
  }
  throw new InfrastructureError(`Another start took ${dataDir} at the same moment`, 'start again', { retryable: true });
}

/** The identity written by {@link lockDirectory} or the supervisor; undefined for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, startedAt } = value as Record<string, unknown>;
    return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1 && typeof startedAt === 'string'
      ? { pid, startedAt }
      : undefined;
  } catch {
    return undefined;
  }
}
