import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Whose data a start uses: the volumes of its containers, or the folders of its processes. */
export type DataSet = 'docker' | 'native';

const fileOf = (dataDir: string): string => join(dataDir, 'data-set');

/** What the start before used; undefined if there was none. */
export async function readDataSet(dataDir: string): Promise<DataSet | undefined> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch(() => '');
  return text === 'docker' || text === 'native' ? text : undefined;
}

export function rememberDataSet(dataDir: string, dataSet: DataSet): Promise<void> {
  return writeFile(fileOf(dataDir), dataSet, { mode: 0o600 });
}
