import { chmod, mkdir } from 'node:fs/promises';

/** Makes a folder that nobody but its owner may enter, also when it is there already. */
export async function providePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}
