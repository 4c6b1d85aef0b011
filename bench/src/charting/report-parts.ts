import { medianOf } from '../measuring/statistics.ts';
import { environmentLine } from '../reporting/environment-line.ts';
import type { KeptResult } from '../reporting/result-file.ts';
import { cellsOf } from '../reporting/table.ts';
import type { Row } from '../scenario.ts';
import type { NamedChart } from './charts-of.ts';
import type { Goal } from './goals.ts';

const notMeasured = 'not measured';
const cell = (content: string): string => content.replaceAll('|', '\\|');
const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** What is to be reached beside what was measured, a row a measured row. */
export function goalsTable(goals: readonly Goal[], results: readonly KeptResult[]): string {
  const lines = goals.flatMap(({ what, scenario, shows, moonshot, isOfHighest }) => {
    const rows = results.find((result) => result.scenario === scenario)?.rows.filter(shows) ?? [];
    if (rows.length === 0) return [line([what, `\`${scenario}\``, '', '', '', '', moonshot, notMeasured])];
    return (isOfHighest === true ? [highestOf(rows)] : rows).map((row) => {
      const [
        name = '',
        median = '',
        spread = '',
        baseline = '',
        ofBaseline = '',
        ratio = '',
        wanted = '',
        verdict = '',
      ] = cellsOf(row);
      const beside = baseline === '' ? '' : `${baseline}: ${ofBaseline}`;
      return line([
        `${what}: ${name}`,
        `\`${scenario}\``,
        `${median} (${spread})`,
        beside,
        ratio,
        wanted,
        moonshot,
        verdict,
      ]);
    });
  });
  const heads = ['what', 'scenario', 'median (spread)', 'baseline', 'ratio', 'to reach', 'moonshot', ''];
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...lines].join('\n');
}

/** The same for a newcomer: what was measured, beside what, and whether that is what was to be reached. */
export function summaryTable(goals: readonly Goal[], results: readonly KeptResult[]): string {
  const lines = goals.flatMap(({ what, scenario, shows, isOfHighest }) => {
    const rows = results.find((result) => result.scenario === scenario)?.rows.filter(shows) ?? [];
    return (rows.length > 0 && isOfHighest === true ? [highestOf(rows)] : rows).map((row) => {
      const [name = '', median = '', , baseline = '', ofBaseline = '', ratio = '', wanted = '', verdict = ''] =
        cellsOf(row);
      return line([
        `${what}: ${name}`,
        median,
        baseline === '' ? '' : `${baseline}: ${ofBaseline}`,
        ratio,
        wanted,
        verdict,
      ]);
    });
  });
  const heads = ['what', 'measured', 'beside it', 'ratio', 'to reach', ''];
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...lines].join('\n');
}

const highestOf = (rows: readonly Row[]): Row =>
  rows.reduce((highest, row) => (Math.max(...row.rounds) > Math.max(...highest.rounds) ? row : highest));

/** What 1,000 stamps cost: CPU by process, gas and bytes. */
export function costTable(results: readonly KeptResult[]): string {
  const scenarios = ['stamps-closed-loop', 'stamps-batch'];
  const costs = scenarios.map((name) => costsOf(results.find(({ scenario }) => scenario === name)?.rows ?? []));
  const names = [...new Set(costs.flatMap((cost) => [...cost.keys()]))];
  return [
    line(['per 1,000 stamps', ...scenarios.map((name) => `\`${name}\``)]),
    `|${'---|'.repeat(scenarios.length + 1)}`,
    ...names.map((name) => line([name, ...costs.map((cost) => cost.get(name) ?? '')])),
  ].join('\n');
}

function costsOf(rows: readonly Row[]): Map<string, string> {
  const costs = new Map<string, string>();
  const per = ' per 1,000 stamps, ';
  for (const { what, unit, rounds } of rows) {
    const value = medianOf(rounds);
    if (what.includes(per)) costs.set(what.replace(per, ', '), `${value.toFixed(3)} ${unit}`);
    else if (what.endsWith(' per stamp'))
      costs.set(what.slice(0, -' per stamp'.length), `${Math.round(value * 1_000).toLocaleString('en')} ${unit}`);
  }
  return costs;
}

/** What each process costs while nobody asks for anything, and how long it takes to start. */
export function restTable(results: readonly KeptResult[]): string {
  const rows = results.find(({ scenario }) => scenario === 'at-rest')?.rows ?? [];
  if (rows.length === 0) return notMeasured;
  const cells = new Map<string, Map<string, string>>();
  const put = (name: string, what: string, unit: Row['unit'], rounds: readonly number[]): void => {
    cells.set(name, (cells.get(name) ?? new Map()).set(what, `${formatOf(medianOf(rounds))} ${unit}`));
  };
  for (const { what, unit, rounds, baseline } of rows) {
    const [name = '', kind = ''] = what.split(', ');
    put(name, kind, unit, rounds);
    if (baseline !== undefined) put(baseline.what, kind, unit, baseline.rounds);
  }
  const kinds = [...new Set([...cells.values()].flatMap((own) => [...own.keys()]))];
  return [
    line(['process', ...kinds]),
    `|${'---|'.repeat(kinds.length + 1)}`,
    ...[...cells].map(([name, own]) => line([name, ...kinds.map((kind) => own.get(kind) ?? '')])),
  ].join('\n');
}

const formatOf = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** Which commit and machine each result is of. */
export const environments = (results: readonly KeptResult[]): string =>
  results.map(({ scenario, machine }) => `- \`${scenario}\`: ${environmentLine(machine)}`).join('\n');

export const chartsList = (charts: readonly NamedChart[], folder: string): string =>
  charts.length === 0
    ? notMeasured
    : charts.map(({ fileName, chart }) => `![${chart.title}](${folder}/${fileName})`).join('\n\n');

/**
 * Puts each part between its `<!-- name: generated -->` and `<!-- name: end -->`; what stands around them stays.
 * @throws Error when the document lacks a place
 */
export function fillIn(document: string, parts: Readonly<Record<string, string>>): string {
  let filled = document;
  for (const [name, part] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name}: generated -->\n`, `<!-- ${name}: end -->`];
    const [from, to] = [filled.indexOf(begin), filled.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the document has no place for ${name}`);
    filled = `${filled.slice(0, from + begin.length)}\n${part}\n\n${filled.slice(to)}`;
  }
  return filled;
}
