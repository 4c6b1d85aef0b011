import { readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';

/**
 * Writes the types of `openapi/indelible.yaml` to `src/api/generated/openapi.ts`; with `--check` it only compares, and
 * ends with 1 when the committed file is stale.
 */
const source = new URL('../openapi/indelible.yaml', import.meta.url);
const target = new URL('../src/api/generated/openapi.ts', import.meta.url);

const text = `// Generated from openapi/indelible.yaml by scripts/generate.ts; not to be edited.\n${astToString(
  // What has a default may be left out of a request.
  await openapiTypescript(source, { defaultNonNullable: false }),
)}`;
if (!process.argv.includes('--check')) await writeFile(target, text);
else if ((await readFile(target, 'utf8').catch(() => '')) !== text) {
  console.error(
    'services/gateway/src/api/generated/openapi.ts is stale: run the generate script of @indelible/gateway',
  );
  process.exitCode = 1;
}
