import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { goals, highlights } from './goals.ts';
import {
  anchorOf,
  costTable,
  environments,
  fillIn,
  goalsTable,
  growthTables,
  restTable,
  summaryTable,
} from './page-parts.ts';
import { readResults } from './results.ts';

const root = resolve(import.meta.dirname, '../../..');
const performancePage = resolve(root, 'docs/performance.md');
const readme = resolve(root, 'README.md');

/** Fills in the generated parts of docs/performance.md and of the README from the kept results. @returns what it wrote */
export async function writePages(): Promise<readonly string[]> {
  const pages = await makePages();
  for (const { path, text } of pages) await writeFile(path, text);
  return pages.map(({ path }) => path);
}

/** @returns the pages that differ from the kept results */
export async function stalePages(): Promise<readonly string[]> {
  return (await makePages()).filter(({ before, text }) => before !== text).map(({ path }) => path);
}

/** @throws Error when a goal is missed and the page does not explain why */
async function makePages(): Promise<{ readonly path: string; readonly before: string; readonly text: string }[]> {
  const results = await readResults();
  const fill = async (path: string, parts: Readonly<Record<string, string>>) => {
    const before = await readFile(path, 'utf8');
    return { path, before, text: fillIn(before, parts) };
  };
  const page = await fill(performancePage, {
    environments: environments(results),
    goals: goalsTable(goals, results),
    costs: costTable(results),
    rest: restTable(results),
    growth: growthTables(results),
  });
  for (const { bounds } of goals)
    if (page.text.includes(`](#${anchorOf(bounds)})`) && !page.text.includes(`\n### ${bounds}\n`))
      throw new Error(`docs/performance.md has no heading “${bounds}” that says what bounds a goal that is missed`);
  return [page, await fill(readme, { summary: summaryTable(highlights, results) })];
}
