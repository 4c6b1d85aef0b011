import { medianOf } from '../measuring/statistics.ts';
import type { KeptResult } from '../reporting/result-file.ts';
import type { Point, Row } from '../scenario.ts';
import type { LineChart } from './line-chart.ts';

export type NamedChart = { readonly fileName: string; readonly scenario: string; readonly chart: LineChart };

type Placed = Row & { readonly at: Point };

/** A chart for each thing that a scenario varied, and unit. */
export function chartsOf(results: readonly KeptResult[]): NamedChart[] {
  return results.flatMap(({ scenario, rows }) => {
    const placed = rows.filter((row): row is Placed => row.at !== undefined);
    const groups = Map.groupBy(placed, ({ at, unit }) => `${at.by}, ${unit}`);
    return [...groups].flatMap(([key, group]) => {
      const [{ at, unit }] = group as [Placed, ...Placed[]];
      const lines = Map.groupBy(group, (row) => row.at.line);
      const chart: LineChart = {
        title: `${measured[unit] ?? unit} against ${at.by}`,
        ...{ xLabel: at.by, yLabel: unit },
        lines: [...lines].map(([name, points]) => ({
          name,
          points: points.map(({ at: { x }, rounds }) => ({
            ...{ x, y: medianOf(rounds), least: Math.min(...rounds), most: Math.max(...rounds) },
          })),
        })),
      };
      const fileName = `${scenario}-${key.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.svg`;
      return [{ fileName, scenario, chart }];
    });
  });
}

const measured: Partial<Record<Row['unit'], string>> = {
  'stamps/s': 'Stamps per second',
  ms: 'Latency',
  gas: 'Gas per stamp',
};
