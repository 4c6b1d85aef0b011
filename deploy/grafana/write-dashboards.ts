import { readFileSync, writeFileSync } from 'node:fs';
import { type Dashboard, dashboards } from './dashboards.ts';

/** Writes Grafana's JSON of each dashboard beside this file; with `--check` it only compares, and ends with 1 when one is stale. */
const width = 8;
const height = 8;
const perRow = 24 / width;

const jsonOf = ({ uid, title, panels }: Dashboard): string =>
  `${JSON.stringify(
    {
      uid: `indelible-${uid}`,
      title: `Indelible: ${title}`,
      tags: ['indelible'],
      schemaVersion: 39,
      editable: false,
      refresh: '30s',
      time: { from: 'now-3h', to: 'now' },
      templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
      panels: panels.map((panel, i) => ({
        id: i + 1,
        type: 'timeseries',
        title: panel.title,
        datasource: { type: 'prometheus', uid: '$' + '{datasource}' },
        gridPos: { x: (i % perRow) * width, y: Math.floor(i / perRow) * height, w: width, h: height },
        fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
        targets: panel.queries.map(([expr, legendFormat], n) => ({
          refId: String.fromCharCode(65 + n),
          expr,
          legendFormat,
        })),
      })),
    },
    undefined,
    2,
  )}\n`;

const stale = dashboards.filter((dashboard) => {
  const file = new URL(`./${dashboard.uid}.json`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, jsonOf(dashboard));
  return readFileSync(file, 'utf8') !== jsonOf(dashboard);
});
if (stale.length > 0) {
  const names = stale.map(({ uid }) => `deploy/grafana/${uid}.json`).join(', ');
  console.error(`${names}: stale; run node_modules/node/bin/node deploy/grafana/write-dashboards.ts`);
  process.exitCode = 1;
}
