import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Machine } from '../measuring/machine.ts';
import type { Row } from '../scenario.ts';

const folder = resolve(import.meta.dirname, '../../results');

/** A scenario's newest result. */
export type KeptResult = { readonly scenario: string; readonly machine: Machine; readonly rows: readonly Row[] };

/** Keeps a scenario's newest result as `bench/results/<name>.json`: every round, so that any figure can be had again. */
export async function writeResult(result: KeptResult): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${result.scenario}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** What is kept, by name. */
export async function readResults(): Promise<KeptResult[]> {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as KeptResult));
}
