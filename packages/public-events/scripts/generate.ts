import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAsyncApi, defaultOrigin } from '../src/documents/async-api.ts';
import { eventPageNameOf, eventPageOf } from '../src/documents/event-page.ts';
import { publicSchemas, schemaTextOf } from '../src/json-schemas.ts';
import { describedEventTypes } from '../src/types.ts';

/**
 * Writes what follows from the types of public events: their JSON Schemas, the AsyncAPI document, and a page for each type in `docs/events/`.
 * With `--check` it only compares, and ends with 1 when a committed file differs. What was released is in `releases/`: tests/upgrades/public-events.test.ts
 * compares with it, and fails when a released type is missing or has changed in a way that breaks a reader.
 */
const root = join(import.meta.dirname, '..');
const schemas = join(root, 'schemas');
const pages = join(root, '../../docs/events');
const check = process.argv.includes('--check');

for (const schema of publicSchemas) await provide(join(schemas, schema.fileName), schemaTextOf(schema));
await provide(join(root, 'generated/asyncapi.json'), `${JSON.stringify(createAsyncApi(defaultOrigin), null, 2)}\n`);
await mkdir(pages, { recursive: true });
for (const type of describedEventTypes)
  await provide(join(pages, eventPageNameOf(type)), eventPageOf(type, defaultOrigin));

await leaveOnly(schemas, new Set(publicSchemas.map(({ fileName }) => fileName)));
await leaveOnly(pages, new Set(describedEventTypes.map(eventPageNameOf)));

async function provide(path: string, text: string): Promise<void> {
  const committed = await readFile(path, 'utf8').catch(() => undefined);
  if (committed === text) return;
  if (check) return fail(`${path} is stale: run the generate script of @indelible/public-events`);
  await writeFile(path, text);
}

async function leaveOnly(folder: string, current: ReadonlySet<string>): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => !current.has(each)))
    if (check) fail(`${join(folder, name)} is of no type`);
    else await rm(join(folder, name));
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
