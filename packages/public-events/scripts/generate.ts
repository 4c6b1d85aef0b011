import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAsyncApi, defaultOrigin } from '../src/documents/async-api.ts';
import { eventPageNameOf, eventPageOf } from '../src/documents/event-page.ts';
import { publicSchemas, schemaTextOf } from '../src/json-schemas.ts';
import { describedEventTypes } from '../src/types.ts';

/**
 * Writes what follows from the types of public events: their JSON Schemas, the AsyncAPI document, and a page for each type in `docs/events/`.
 * With `--check` it only compares, and ends with 1 when a committed file differs. What a schema was before goes to `earlier-schemas/`,
 * against which tests check that the change is compatible. A schema that no type has any more is released, and stays an error.
 */
const root = join(import.meta.dirname, '..');
const schemas = join(root, 'schemas');
const earlier = join(root, 'earlier-schemas');
const pages = join(root, '../../docs/events');
const check = process.argv.includes('--check');

for (const schema of publicSchemas)
  await provide(join(schemas, schema.fileName), schemaTextOf(schema), () => keep(schema.fileName));
await provide(join(root, 'generated/asyncapi.json'), `${JSON.stringify(createAsyncApi(defaultOrigin), null, 2)}\n`);
await mkdir(pages, { recursive: true });
for (const type of describedEventTypes)
  await provide(join(pages, eventPageNameOf(type)), eventPageOf(type, defaultOrigin));

const known = new Set(publicSchemas.map(({ fileName }) => fileName));
for (const name of await readdir(schemas))
  if (!known.has(name))
    fail(`schemas/${name} is released, and no type has it: events of it are in logs and topics, so it must be served`);
const current = new Set(describedEventTypes.map(eventPageNameOf));
for (const name of (await readdir(pages)).filter((page) => !current.has(page)))
  if (check) fail(`docs/events/${name} is of no type`);
  else await rm(join(pages, name));

async function provide(path: string, text: string, beforeReplacing?: () => Promise<void>): Promise<void> {
  const committed = await readFile(path, 'utf8').catch(() => undefined);
  if (committed === text) return;
  if (check) return fail(`${path} is stale: run the generate script of @indelible/public-events`);
  if (committed !== undefined) await beforeReplacing?.();
  await writeFile(path, text);
}

async function keep(fileName: string): Promise<void> {
  await mkdir(earlier, { recursive: true });
  const begin = fileName.replace(/json$/, '');
  const count = (await readdir(earlier)).filter((name) => name.startsWith(begin)).length;
  await rename(join(schemas, fileName), join(earlier, `${begin}${count + 1}.json`));
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
