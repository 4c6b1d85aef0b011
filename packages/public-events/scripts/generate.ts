import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publicSchemas } from '../src/json-schemas.ts';

/**
 * Writes the JSON Schemas of all public events to `schemas/`; with `--check` it only compares, and ends with 1 when a committed file
 * differs. What a schema was before goes to `earlier-schemas/`, against which tests check that the change is compatible.
 */
const folder = join(import.meta.dirname, '../schemas');
const earlier = join(import.meta.dirname, '../earlier-schemas');
const check = process.argv.includes('--check');

for (const { fileName, schema } of publicSchemas) {
  const path = join(folder, fileName);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  const committed = await readFile(path, 'utf8').catch(() => undefined);
  if (committed === text) continue;
  if (check) {
    console.error(
      `packages/public-events/schemas/${fileName} is stale: run the generate script of @indelible/public-events`,
    );
    process.exitCode = 1;
    continue;
  }
  if (committed !== undefined) {
    await mkdir(earlier, { recursive: true });
    const known = (await readdir(earlier)).filter((name) => name.startsWith(fileName.replace(/json$/, ''))).length;
    await rename(path, join(earlier, fileName.replace(/json$/, `${known + 1}.json`)));
  }
  await writeFile(path, text);
}
