import { type Goal, type highlights, reachText, shows, verdictOf } from './goals.ts';
import { environmentLine, type KeptResult, type KeptRow, summaryOf } from './results.ts';
import { figure } from './table.ts';

const notMeasured = 'not measured';
const line = (cells: readonly string[]): string =>
  `| ${cells.map((content) => content.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (heads: readonly string[], lines: readonly (readonly string[])[]): string =>
  [line(heads), `|${'---|'.repeat(heads.length)}`, ...lines.map(line)].join('\n');

const rowsOf = (results: readonly KeptResult[], name: string): readonly KeptRow[] =>
  results.find(({ scenario }) => scenario === name)?.rows ?? [];
const spread = (row: KeptRow): string => {
  const { median, least, most } = summaryOf(row);
  return `${figure(median)} ${row.unit}${least === undefined || most === undefined ? '' : ` (${figure(least)}–${figure(most)})`}`;
};
const besideOf = (row: KeptRow): string => {
  const { baseline } = summaryOf(row);
  return baseline === undefined ? '' : `${baseline.what}: ${figure(baseline.median)} ${row.unit}`;
};
const highest = (row: KeptRow): number => summaryOf(row).most ?? summaryOf(row).median;

/** Goals and measurements, a row for each goal; a missed goal links to the section that says what bounds it. */
export function goalsTable(goals: readonly Goal[], results: readonly KeptResult[]): string {
  const lines = goals.map((goal) => {
    const { what, scenario, reach, moonshot, bounds } = goal;
    const wanted = [reachText(goal, reach), reachText(goal, moonshot)];
    const [row] = rowsOf(results, scenario)
      .filter((one) => shows(goal, one))
      .toSorted((a, b) => highest(b) - highest(a));
    const name = typeof goal.row === 'string' ? `${what}: ${goal.row}` : what;
    if (row === undefined) return [name, `\`${scenario}\``, '', '', '', ...wanted, notMeasured];
    const verdict = verdictOf(goal, row);
    const ratio = summaryOf(row).ratio?.toFixed(2) ?? '';
    const link = `[missed](#${anchorOf(bounds)})`;
    return [
      typeof goal.row === 'string' ? name : `${what}: ${row.what}`,
      `\`${scenario}\``,
      ...[spread(row), besideOf(row), ratio, ...wanted],
      verdict === 'missed' ? link : verdict,
    ];
  });
  return table(['what', 'scenario', 'median (spread)', 'baseline', 'ratio', 'to reach', 'moonshot', ''], lines);
}

export const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** The measurements that users care about, with their baselines. @throws Error when one of the rows was not measured */
export function summaryTable(of: typeof highlights, results: readonly KeptResult[]): string {
  const lines = of.map(({ what, scenario, ...wanted }) => {
    const row = rowsOf(results, scenario).find((one) => shows(wanted, one));
    if (row === undefined) throw new Error(`bench/results/ has no row for “${what}”: run bench -- ${scenario}`);
    const { median, ratio } = summaryOf(row);
    return [what, `${figure(median)} ${row.unit}`, besideOf(row), ratio?.toFixed(2) ?? ''];
  });
  return table(['what', 'measured', 'beside it', 'ratio'], lines);
}

const costed = [
  { head: '`stamps-closed-loop`', scenario: 'stamps-closed-loop', end: '' },
  { head: '`stamps-batch`', scenario: 'stamps-batch', end: '' },
  { head: '`stamp-costs`, 200 a second', scenario: 'stamp-costs', end: ', 200 a second' },
  { head: '`stamp-costs`, batch input', scenario: 'stamp-costs', end: ', batch input' },
] as const;

/** Cost per stamp in the measured scenarios: CPU by process, gas, and what is counted or written. */
export function costTable(results: readonly KeptResult[]): string {
  const columns = costed
    .map(({ head, scenario, end }) => ({ head, costs: costsOf(rowsOf(results, scenario), end) }))
    .filter(({ costs }) => costs.size > 0);
  const names = new Set(columns.flatMap(({ costs }) => [...costs.keys()]));
  const lines = [...names].map((name) => [name, ...columns.map(({ costs }) => costs.get(name) ?? '')]);
  return table(['a stamp', ...columns.map(({ head }) => head)], lines);
}

function costsOf(rows: readonly KeptRow[], end: string): ReadonlyMap<string, string> {
  const costs = new Map<string, string>();
  for (const row of rows) {
    const what = row.what.endsWith(end) ? row.what.slice(0, row.what.length - end.length) : '';
    const { median } = summaryOf(row);
    const value = median < 10 ? median.toPrecision(2) : Math.round(median).toLocaleString('en');
    const name = /^(.+) a stamp(, .+)?$/.exec(what);
    if (name !== null) costs.set(`${name[1]}${name[2] ?? ''}`, `${value} ${row.unit}`);
  }
  return costs;
}

/** The cost of each process without requests, and how long it takes to start. */
export function restTable(results: readonly KeptResult[]): string {
  const cells = new Map<string, Map<string, string>>();
  const put = (name: string, kind: string, value: string): void =>
    void cells.set(name, (cells.get(name) ?? new Map<string, string>()).set(kind, value));
  const figureOf = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  for (const row of rowsOf(results, 'at-rest')) {
    const [name = '', kind = ''] = row.what.split(', ');
    const { median, baseline } = summaryOf(row);
    put(name, kind, `${figureOf(median)} ${row.unit}`);
    if (baseline !== undefined) put(baseline.what, kind, `${figureOf(baseline.median)} ${row.unit}`);
  }
  if (cells.size === 0) return notMeasured;
  const kinds = [...new Set([...cells.values()].flatMap((own) => [...own.keys()]))];
  return table(
    ['process', ...kinds],
    [...cells].map(([name, own]) => [name, ...kinds.map((kind) => own.get(kind) ?? '')]),
  );
}

/** A table per varied quantity: a line for each curve, a column for each size. */
export function growthTables(results: readonly KeptResult[]): string {
  const placed = results.flatMap(({ rows }) => rows.filter(({ at }) => at !== undefined));
  const tables = [...Map.groupBy(placed, ({ at }) => at?.by ?? '')].map(([by, rows]) => {
    const sizes = [...new Set(rows.map(({ at }) => at?.x ?? 0))].sort((a, b) => a - b);
    const lines = [...Map.groupBy(rows, ({ at, unit }) => `${at?.line}, ${unit}`).values()].map((points) => [
      points[0]?.at?.line ?? '',
      ...sizes.map((size) =>
        points
          .filter(({ at }) => at?.x === size)
          .map(spread)
          .join(),
      ),
    ]);
    return table([by, ...sizes.map((size) => size.toLocaleString('en'))], lines);
  });
  return tables.join('\n\n');
}

/** Commit and machine of each result, and the rows of which only the page's figures were kept. */
export const environments = (results: readonly KeptResult[]): string =>
  results
    .map((result) => {
      const isPrinted = result.rows.some((row) => 'printed' in row);
      return `- \`${result.scenario}\`: ${environmentLine(result)}${isPrinted ? ' · rounds not kept' : ''}`;
    })
    .join('\n');

/**
 * Puts each part between its `<!-- name: generated -->` and `<!-- name: end -->`; the rest stays.
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
