import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All packages of the workspace have one version. */
export const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  readonly version: string;
};
