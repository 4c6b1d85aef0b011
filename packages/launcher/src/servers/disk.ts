import { mkdir, statfs } from 'node:fs/promises';
import { InfrastructureError } from './infrastructure-error.ts';

const GIGABYTE = 1_000_000_000;

/** Throws {@link InfrastructureError} unless the file system of `directory` (created if missing) has `bytes` free. */
export async function requireFreeDisk(directory: string, bytes: number): Promise<void> {
  await mkdir(directory, { recursive: true });
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new InfrastructureError(
    `Only ${(free / GIGABYTE).toFixed(1)} GB are free for ${directory}, ${(bytes / GIGABYTE).toFixed(1)} GB are needed`,
    'free some disk and start again',
  );
}
