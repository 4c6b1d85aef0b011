import { rename, rm } from 'node:fs/promises';
import { discardInfrastructure, InfrastructureError } from './servers.ts';

/**
 * Removes what earlier starts kept. The seeds hold the keys of all accounts and of the operator, whose funds nobody
 * else can move: they are set aside unless deletion is requested.
 * @param given variables that name external servers, which keep their data: useless without the seeds
 * @returns a text about the seeds, for people; undefined when there were none
 * @throws InfrastructureError, and nothing is removed then
 */
export async function forgetEverything(options: {
  readonly dataDir: string;
  readonly secretsDir: string;
  readonly given: readonly string[];
  readonly deleteSecrets: boolean;
  readonly now: Date;
}): Promise<string | undefined> {
  const { dataDir, secretsDir, given } = options;
  if (given.length > 0)
    throw new InfrastructureError(
      `--fresh would remove the keys of what is kept on the servers that ${given.join(', ')} ${given.length === 1 ? 'names' : 'name'}`,
      `unset ${given.join(', ')} to begin again on servers started here, or start without --fresh`,
    );
  await discardInfrastructure(dataDir);
  if (options.deleteSecrets) {
    await rm(secretsDir, { recursive: true, force: true });
    return undefined;
  }
  const aside = `${secretsDir}.${options.now.toISOString().replace(/[:.]/g, '-')}`;
  try {
    await rename(secretsDir, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return `the seeds and keys of the earlier starts are in ${aside}: delete that folder when nothing needs them any more`;
}
