import { rowsOf } from './table-rows.ts';

export type DocumentedMetric = {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  /** `all`, or the names of services. */
  readonly services: readonly string[];
};

/** The entries of docs/metrics.md. */
export const documentedMetrics = (): readonly DocumentedMetric[] =>
  rowsOf('docs/metrics.md', 'metric')
    .filter((row) => row.length === 5)
    .map(([name = '', type = '', labels = '', _meaning, services = '']) => ({
      name: name.replaceAll('`', ''),
      type,
      labels: labels.split(', ').filter((label) => label !== ''),
      services: services.split(', '),
    }));
