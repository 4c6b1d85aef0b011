import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keepKey } from './keep-key.ts';

const seedHex = /^(?:0x)?((?:[0-9a-fA-F]{2}){16,64})$/;
/** Group write, and anything for others. A group may read: a mounted secret belongs to the pod's group. */
const tooOpen = 0o027;
const maxFileBytes = 1024;

/**
 * Reads a seed file, or makes one of 32 random bytes (hex, mode 0600). If several processes create it at once, one wins
 * and all read its file; a crash leaves no half-written file under that name.
 * @throws Error when others than its owner and group may read the file, or it holds no seed; its content is in no
 * message
 */
export async function readOrCreateSeedFile(path: string): Promise<Uint8Array> {
  try {
    return await readSeedFile(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  await writeSeedFile(path, 0o600);
  return readSeedFile(path);
}

/**
 * Makes a seed file as {@link readOrCreateSeedFile}, with another mode.
 * @returns false when there is one already, which is kept; its mode is not changed
 * @throws Error as {@link readOrCreateSeedFile}
 */
export async function createSeedFile(path: string, mode: number): Promise<boolean> {
  const created = await writeSeedFile(path, mode);
  await readSeedFile(path);
  return created;
}

/**
 * Reads a seed given as hex of 16 to 64 bytes (`0x` or not), or else as the path of an existing seed file.
 * @throws Error as {@link readOrCreateSeedFile}; a value that is neither is in no message
 */
export async function seedFromHexOrFile(value: string): Promise<Uint8Array> {
  const seed = parseSeed(value);
  if (seed !== undefined) return seed;
  try {
    return await readSeedFile(value);
  } catch (error) {
    // The path may be a mistyped seed.
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENAMETOOLONG'))
      throw new Error('the seed is neither hex of 16 to 64 bytes nor the path of an existing file');
    throw error;
  }
}

async function readSeedFile(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { mode, size } = await file.stat();
    if ((mode & tooOpen) !== 0)
      throw new Error(
        `the seed file may be read by others (mode ${(mode & 0o777).toString(8)}): chmod 600 it, or in Kubernetes set \`defaultMode: 0440\` and \`fsGroup\``,
      );
    if (size > maxFileBytes) throw new Error('the seed file is too long to hold a seed');
    const seed = parseSeed(await file.readFile('utf8'));
    if (seed === undefined) throw new Error('the seed file holds no seed: hex of 16 to 64 bytes');
    return seed;
  } finally {
    await file.close();
  }
}

/** @returns whether this call wrote it */
async function writeSeedFile(path: string, mode: number): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
    // Not by the umask.
    await file.chmod(mode);
    await file.sync();
    // Unlike rename, link does not replace a file made by another process.
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return false;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const parseSeed = (text: string): Uint8Array | undefined => {
  const digits = seedHex.exec(text.trim())?.[1];
  if (digits === undefined) return undefined;
  const seed = Buffer.from(digits, 'hex');
  keepKey(seed);
  return seed;
};

const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;
