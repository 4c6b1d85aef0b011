import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A small JSON file that only this user may read, written whole or not at all. */
export type KeptState<Value> = {
  read(): Promise<Value | undefined>;
  write(value: Value): Promise<void>;
  remove(): Promise<void>;
};

export function keptState<Value>(path: string): KeptState<Value> {
  return {
    async read() {
      try {
        return JSON.parse(await readFile(path, 'utf8')) as Value;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(value) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const part = `${path}.${randomUUID()}.part`;
      await writeFile(part, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
      await rename(part, path);
    },
    remove: () => rm(path, { force: true }),
  };
}
