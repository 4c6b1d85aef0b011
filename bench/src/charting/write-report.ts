import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { medianOf } from '../measuring/statistics.ts';
import { type KeptResult, readResults } from '../reporting/result-file.ts';
import { ceilingsTable, type GasPerStamp } from './chain-ceilings.ts';
import { chartsOf } from './charts-of.ts';
import { goals } from './goals.ts';
import { drawLineChart } from './line-chart.ts';
import { chartsList, costTable, environments, fillIn, goalsTable } from './report-parts.ts';

const documents = resolve(import.meta.dirname, '../../../docs');
const folder = 'performance';

/** Draws the charts and fills in the tables of docs/performance.md from the kept results. @returns what it wrote */
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
    charts: chartsList(charts, folder),
    ceilings: ceilingsTable(gasPerStamp(results)),
  };
  await writeFile(page, fillIn(await readFile(page, 'utf8'), parts));
  return [page, ...charts.map(({ fileName }) => join(documents, folder, fileName))];
}

/** Of the committed gas snapshot: a stamp of one account alone in its transaction, its head written before. */
const gasAlone = 36_351;
/** Of the same, while the scenario that measures it has no kept result. */
const gasTogether = 2_924;

function gasPerStamp(results: readonly KeptResult[]): GasPerStamp {
  const row = results
    .find(({ scenario }) => scenario === 'gas')
    ?.rows.find(({ what }) => what.startsWith('500 objects in 10 sets'));
  return { together: row === undefined ? gasTogether : medianOf(row.rounds), alone: gasAlone };
}
