import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readResults } from '../reporting/result-file.ts';
import { ceilingsTable, type GasPerStamp } from './chain-ceilings.ts';
import { chartsOf } from './charts-of.ts';
import { goals } from './goals.ts';
import { drawLineChart } from './line-chart.ts';
import { chartsList, costTable, environments, fillIn, goalsTable, restTable, summaryTable } from './report-parts.ts';

const documents = resolve(import.meta.dirname, '../../../docs');
const readme = resolve(import.meta.dirname, '../../../README.md');
const gasSnapshot = resolve(import.meta.dirname, '../../../packages/commitment-contract/gas-snapshot.json');
const folder = 'performance';

/** Draws the charts, and fills in the tables of docs/performance.md and of the README from the kept results. @returns what it wrote */
export async function writeReport(): Promise<readonly string[]> {
  const results = await readResults();
  const charts = chartsOf(results);
  await mkdir(join(documents, folder), { recursive: true });
  for (const name of await readdir(join(documents, folder)))
    if (name.endsWith('.svg') && !charts.some(({ fileName }) => fileName === name))
      await rm(join(documents, folder, name));
  for (const { fileName, chart } of charts) await writeFile(join(documents, folder, fileName), drawLineChart(chart));
  const page = join(documents, 'performance.md');
  const parts = {
    environments: environments(results),
    goals: goalsTable(goals, results),
    costs: costTable(results),
    rest: restTable(results),
    charts: chartsList(charts, folder),
    ceilings: ceilingsTable(await readGasPerStamp()),
  };
  await writeFile(page, fillIn(await readFile(page, 'utf8'), parts));
  await writeFile(readme, fillIn(await readFile(readme, 'utf8'), { summary: summaryTable(goals, results) }));
  return [readme, page, ...charts.map(({ fileName }) => join(documents, folder, fileName))];
}

/** Of the gas snapshot that is committed with the contract and checked by its tests. */
async function readGasPerStamp(): Promise<GasPerStamp> {
  const kept = JSON.parse(await readFile(gasSnapshot, 'utf8')) as Readonly<Record<string, { perStamp: number }>>;
  const [together, alone] = [kept['500 objects in 10 sets of one user'], kept.alone];
  if (together === undefined || alone === undefined) throw new Error('the gas snapshot lacks a case');
  return { together: together.perStamp, alone: alone.perStamp };
}
