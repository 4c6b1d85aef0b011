import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testPrometheus } from '@indelible/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { dashboards } from '../../deploy/grafana/dashboards.ts';

// promtool keeps a store for each test: on a busy disk it takes minutes.
jest.setTimeout(600_000);

const folder = resolve(import.meta.dirname, '../../deploy/prometheus');
const { promtool } = testPrometheus();

/** Output of promtool, whether it succeeds or fails. */
const ask = (cwd: string, ...args: string[]): Promise<string> =>
  promisify(execFile)(promtool, args, { cwd }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );

describe('the rules of Prometheus', () => {
  it('are valid', async () => {
    expect(await ask(folder, 'check', 'rules', 'alerts.yaml')).toContain('SUCCESS');
  });

  it('fire when users are harmed, and not otherwise', async () => {
    const said = await ask(folder, 'test', 'rules', 'alerts.test.yaml', 'alerts.days.test.yaml');
    expect(said.match(/SUCCESS|FAILED/g)).toEqual(['SUCCESS', 'SUCCESS']);
  });
});

describe('the dashboards', () => {
  it('have queries that Prometheus can read', async () => {
    const queries = dashboards.flatMap(({ panels }) =>
      panels.flatMap((panel) => panel.queries.map(([query]) => query)),
    );
    const work = await mkdtemp(join(tmpdir(), 'indelible-queries-'));
    try {
      const rules = queries.map((expr, i) => ({ record: `query:${i}`, expr }));
      await writeFile(join(work, 'queries.yaml'), JSON.stringify({ groups: [{ name: 'queries', rules }] }));
      expect(await ask(work, 'check', 'rules', 'queries.yaml')).toContain(`SUCCESS: ${queries.length} rules found`);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
});
