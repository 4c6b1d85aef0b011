import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Machine } from '../measuring/machine.ts';
import type { Row } from '../scenario.ts';

const folder = resolve(import.meta.dirname, '../../results');

/** Keeps a scenario's newest result as `bench/results/<name>.json`: every round, so that any figure can be had again. */
export async function writeResult(result: {
  readonly scenario: string;
  readonly machine: Machine;
  readonly rows: readonly Row[];
}): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${result.scenario}.json`), `${JSON.stringify(result, null, 2)}\n`);
}
