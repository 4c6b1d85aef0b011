import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dashboards } from '../../deploy/grafana/dashboards.ts';
import { documentedMetrics } from './documented-metrics.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const runbooks = readdirSync(join(root, 'docs/runbooks'));

const rules = read('deploy/prometheus/alerts.yaml').replaceAll(/^ *#.*$/gm, '');
const alerts = rules
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', text, page: /runbooks\/([\w-]+\.md)/.exec(text)?.[1] ?? '' }));

const documented = new Map(documentedMetrics().map((metric) => [metric.name, metric]));
const ofHistogram = /_(?:bucket|sum|count)$/;
const metricOf = (series: string) => documented.get(series) ?? documented.get(series.replace(ofHistogram, ''));

/** Series named in a text that no service has, and labels it matches that their series lack. */
function unknownIn(text: string): readonly string[] {
  const named = [...text.matchAll(/\b((?:indelible|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  return named.flatMap(([, series = '', matchers = '']) => {
    const metric = metricOf(series);
    if (metric === undefined) return [series];
    const labels = [...matchers.matchAll(/(\w+) *(?:=~|!~|!=|=)/g)].map(([, label]) => label as string);
    return labels.filter((label) => ![...metric.labels, 'le'].includes(label)).map((label) => `${series}{${label}}`);
  });
}

describe('the alerts', () => {
  // Helm reads no file outside of its chart
  it('have a copy in the chart: cp deploy/prometheus/alerts.yaml deploy/helm/indelible/files/', () => {
    expect(read('deploy/helm/indelible/files/alerts.yaml')).toBe(read('deploy/prometheus/alerts.yaml'));
  });
});

describe('each alert', () => {
  it('has a severity, a summary, and a page of its own name; and each page has an alert', () => {
    expect(alerts.length).toBeGreaterThan(15);
    for (const { name, text, page } of alerts) {
      expect([name, text]).toEqual([name, expect.stringMatching(/severity: (?:page|ticket)\b[\s\S]*summary: .+/)]);
      expect([name, existsSync(join(root, 'docs/runbooks', page))]).toEqual([name, true]);
      expect(read(join('docs/runbooks', page)).split('\n')[0]).toContain(name);
    }
    expect(new Set(alerts.map(({ page }) => page))).toEqual(new Set(runbooks));
  });

  it('has a test', () => {
    const tested = ['alerts.test.yaml', 'alerts.days.test.yaml']
      .map((file) => read(`deploy/prometheus/${file}`))
      .join();
    expect(alerts.filter(({ name }) => !tested.includes(`alertname: ${name}`)).map(({ name }) => name)).toEqual([]);
  });

  it('is about metrics that there are, by labels that they have; and so are pages and dashboards', () => {
    expect(unknownIn(rules)).toEqual([]);
    for (const page of runbooks) expect([page, unknownIn(read(join('docs/runbooks', page)))]).toEqual([page, []]);
    for (const { title, panels } of dashboards)
      for (const { title: panel, queries } of panels)
        expect([title, panel, queries.flatMap(([query]) => unknownIn(query))]).toEqual([title, panel, []]);
  });
});

/** Of services and packages, without tests: where what they log and answer is written. */
const sources = globSync(['services/*/src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .map(read)
  .join('\n');
/** Said by Postgres and by Kafka. */
const ofServers = ['canceling statement due to statement timeout', 'This server does not host this topic-partition'];
const isNoText = /\bindelible[_: ]|^(?:select|kubectl|GET|POST|PATCH) |^[A-Z][\w-]+: \d|^[^ ]+$/;

/** Quoted texts of logs and responses that no source contains; `…` and capitals mark what varies. */
function unwrittenIn(page: string): readonly string[] {
  const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const texts = quoted.filter((code) => !isNoText.test(code) && !ofServers.includes(code));
  const partsOf = (text: string) => text.replace(/^waiting for /, '').split(/…|: |\b[A-Z]{3,}\S*/);
  return texts.filter((text) => !partsOf(text).every((part) => sources.includes(part.trim())));
}

describe('each page for an alert', () => {
  it('quotes only texts that services write', () => {
    for (const page of runbooks) expect([page, unwrittenIn(read(join('docs/runbooks', page)))]).toEqual([page, []]);
    expect(unwrittenIn('the log line `the operator has not added this lane to the contract`')).toHaveLength(1);
  });

  it('says what users see, how to confirm, what to do, and how to tell that it worked', () => {
    const headings = ['What users see', 'Confirm', 'What to do', 'How to tell that it worked'];
    for (const page of runbooks)
      expect([
        page,
        [...read(join('docs/runbooks', page)).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading),
      ]).toEqual([page, headings]);
  });
});
