import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, parseIdentity, Supervisor } from '@indelible/launcher/servers';
import { TEST_FOLDER } from './environment.ts';

/**
 * Ends the servers and removes the folders of test runs whose process no longer runs. Leaves those of live processes
 * alone.
 */
export async function removeAbandoned(): Promise<void> {
  const names = await readdir(TEST_FOLDER).catch(() => []);
  const folders = names.filter((name) => /^(anvil|gcs|run)-/.test(name)).map((name) => join(TEST_FOLDER, name));
  await Promise.all(folders.map(removeIfAbandoned));
}

async function removeIfAbandoned(folder: string): Promise<void> {
  const owner = parseIdentity(await readFile(join(folder, 'owner.json'), 'utf8').catch(() => ''));
  // without an owner it is being created or removed
  if (owner === undefined || (await isAlive(owner))) return;
  await new Supervisor(folder).endLeftovers();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
