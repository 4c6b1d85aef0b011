import type { Row } from '../scenario.ts';
import { goalsOf, reachText, verdictOf } from './goals.ts';
import { summaryOf } from './results.ts';

const heads = ['what', 'median', 'spread', 'baseline', 'median', 'ratio', 'to reach', ''] as const;

/** The rows as a table for a terminal: texts to the left, figures to the right. */
export function tableOf(scenario: string, rows: readonly Row[]): string {
  const cells = rows.map((row) => cellsOf(scenario, row));
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => (row[column] ?? '').length)));
  const isText = (column: number): boolean => column === 0 || column === 3 || column === 7;
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(heads), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line)].join('\n');
}

function cellsOf(scenario: string, row: Row): string[] {
  const { median, least = median, most = median, baseline, ratio } = summaryOf(row);
  const [goal] = goalsOf(scenario, row);
  const bound = row.atMost === undefined ? '' : `≤ ${row.atMost} ${row.unit}`;
  const boundKept = row.atMost === undefined ? '' : isOverBound(row) ? 'over' : 'within';
  return [
    row.what,
    `${figure(median)} ${row.unit}`,
    `${figure(least)}–${figure(most)}`,
    baseline?.what ?? '',
    baseline === undefined ? '' : `${figure(baseline.median)} ${row.unit}`,
    ratio?.toFixed(2) ?? '',
    goal === undefined ? bound : reachText(goal, goal.reach),
    goal === undefined ? boundKept : verdictOf(goal, row),
  ];
}

export const figure = (value: number): string =>
  value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

/** Whether a round is above the bound of its row. */
export const isOverBound = ({ atMost, rounds }: Row): boolean => atMost !== undefined && Math.max(...rounds) > atMost;
