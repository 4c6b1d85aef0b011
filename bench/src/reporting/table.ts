import { medianOf, medianRatio } from '../measuring/statistics.ts';
import type { Row, Series } from '../scenario.ts';

const heads = ['what', 'median', 'spread', 'baseline', 'median', 'ratio', 'to reach', ''] as const;

/** The rows as a table for a terminal: texts to the left, figures to the right. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(cellsOf);
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => (row[column] ?? '').length)));
  const isText = (column: number): boolean => column === 0 || column === 3 || column === 7;
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(heads), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line)].join('\n');
}

/** A row’s texts: what, median, spread, baseline, its median, ratio, what to reach, verdict. */
export function cellsOf(row: Row): string[] {
  const { what, unit, baseline, rounds } = row;
  const ratio = baseline === undefined ? undefined : medianRatio(rounds, baseline.rounds);
  return [
    what,
    `${figure(medianOf(rounds))} ${unit}`,
    spreadOf({ what, rounds }),
    baseline?.what ?? '',
    baseline === undefined ? '' : `${figure(medianOf(baseline.rounds))} ${unit}`,
    // Beside nothing there is none.
    Number.isFinite(ratio) ? (ratio as number).toFixed(2) : '',
    wanted(row),
    verdict(row, ratio),
  ];
}

const figure = (value: number): string => value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
const spreadOf = ({ rounds }: Series): string => `${figure(Math.min(...rounds))}–${figure(Math.max(...rounds))}`;

function wanted({ reach, unit }: Row): string {
  if (reach === undefined) return '';
  if ('atMost' in reach) return `≤ ${reach.atMost} ${unit}`;
  return 'ratioAtMost' in reach ? `≤ ${reach.ratioAtMost}` : `≥ ${reach.ratioAtLeast}`;
}

/** A bound holds in every round. */
export const isOverBound = ({ reach, rounds }: Row): boolean =>
  reach !== undefined && 'atMost' in reach && Math.max(...rounds) > reach.atMost;

/** A bound holds in every round, a ratio in the median. */
function verdict(row: Row, ratio: number | undefined): string {
  const { reach } = row;
  if (reach === undefined) return '';
  if ('atMost' in reach) return isOverBound(row) ? 'over' : 'within';
  if (ratio === undefined) return 'missed';
  return ('ratioAtMost' in reach ? ratio <= reach.ratioAtMost : ratio >= reach.ratioAtLeast) ? 'reached' : 'missed';
}
