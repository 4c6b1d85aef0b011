import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder, from this one upwards, with the files of a local start; else this one. */
export function findInstallation(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.local', 'connection.json'))) return at;
    if (dirname(at) === at) return folder;
  }
}
