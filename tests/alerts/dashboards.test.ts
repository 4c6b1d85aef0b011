import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { serviceNames } from '@indelible/launcher';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { dashboards, type Panel } from '../../deploy/grafana/dashboards.ts';
import { drawDashboard, type PanelSeries } from '../../deploy/grafana/draw-dashboard.ts';
import { type RunningStack, startRunningStack } from '../e2e/support/running-stack.ts';
import { startWebhookReceiver } from '../e2e/support/webhook-receiver.ts';
import { type Monitoring, type Series, startMonitoring } from './support/monitoring.ts';

/** How long the load runs before the panels are drawn: the docs' pictures show some minutes. */
const loadSeconds = Number(process.env.DASHBOARD_SECONDS ?? 20);
/** Where the pictures go: git ignores it, and docs/dashboards.md says how those of the docs were made. */
const pictures = resolve(import.meta.dirname, '../../.local/dashboards');
const pointsPerPanel = 120;

jest.setTimeout(240_000 + loadSeconds * 1_000);

let running: RunningStack;
let monitoring: Monitoring;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
let began: number;
const now = (): number => Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  // With limits, as in production: a local start has none.
  running = await startRunningStack({ gateway: { RATE_LIMIT_PER_SECOND: '1000' } });
  monitoring = await startMonitoring(running.connection.internalUrls);
  receiver = await startWebhookReceiver();
  await eventually(async () => expect(await monitoring.up()).toBe(serviceNames.length), { timeoutMs: 120_000 });
  began = now();
  await makeWork();
});
afterAll(async () => {
  await receiver?.stop();
  await monitoring?.stop();
  await running?.stop();
});

/** All client operations, repeatedly, with a reorg in the middle: panels without data would prove nothing. */
async function makeWork(): Promise<void> {
  const { client, anvil } = running;
  await client.createWebhook({ url: receiver.url, types: ['stamp.confirmed'] });
  await client.createCollection({ name: 'Watched' });
  const stream = await client.streamEvents();
  let reorged = false;
  for (let round = 0; now() < began + loadSeconds; round++) {
    const cid = `0x${randomBytes(32).toString('hex')}`;
    const content = new Blob([`round ${round}`]);
    const answers = await Promise.all([
      ...Array.from({ length: 1 + (round % 20) }, (_, i) =>
        client.stamp({ data_cid: i === 0 ? cid : `0x${randomBytes(32).toString('hex')}`, collection_name: 'Watched' }),
      ),
      client.stamp({ file: content }, 'round.txt'),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    await client.stamp({ data_cid: cid, collection_name: 'Watched' });
    await client.verify([cid]);
    await client.get('/stamps/not-an-id');
    const later = Buffer.from(`later ${round}`);
    const laterCid = `0x${createHash('sha3-256').update(later).digest('hex')}`;
    await stampLines([cid, laterCid]);
    expect((await client.uploadLater({ file: new Blob([later]), collection_name: 'Lines' }, 'later.txt')).status).toBe(
      201,
    );
    if (!reorged && now() > began + loadSeconds / 2) {
      await anvil.request('anvil_reorg', [2, []]);
      reorged = true;
    }
  }
  await stream.close();
}

/** As a batch. */
async function stampLines(cids: readonly string[]): Promise<void> {
  const { rootUrl, apiKey } = running.connection;
  const response = await fetch(`${rootUrl}/api/v1/stamps/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/x-ndjson' },
    body: cids.map((cid) => `${JSON.stringify({ data_cid: cid, collection_name: 'Lines' })}\n`).join(''),
  });
  expect(await response.text()).toContain('"status":"created"');
}

const legendOf = (legend: string, { metric }: Series): string =>
  legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '');

async function seriesOf(panel: Panel, to: number): Promise<readonly PanelSeries[]> {
  const step = Math.max(1, Math.ceil((to - began) / pointsPerPanel));
  const found = await Promise.all(
    panel.queries.map(async ([query, legend]) =>
      (await monitoring.range(query, began, to, step)).map((series) => ({
        legend: legendOf(legend, series),
        values: series.values.map(([time, value]) => [time, Number(value)] as const),
      })),
    ),
  );
  return found
    .flat()
    .map(({ legend, values }) => ({ legend, values: values.filter(([, value]) => Number.isFinite(value)) }));
}

/** Panels whose series begin with the first fault, or after more blocks than the load lasts: tests/docs holds their metrics and labels. */
const mayBeEmpty = new Set(['Errors of ours', 'Faults', 'Blob store faults', 'Signing to finality']);

describe('each dashboard', () => {
  it.each(dashboards)('has panels whose queries return what the running services report: $title', async (dashboard) => {
    const to = now();
    const data = await Promise.all(
      dashboard.panels.map(async (panel) => ({ panel, series: await seriesOf(panel, to) })),
    );
    await mkdir(pictures, { recursive: true });
    await writeFile(join(pictures, `${dashboard.uid}.svg`), drawDashboard(dashboard, data, began, to));
    const empty = data.filter(({ series }) => series.every(({ values }) => values.length === 0));
    expect(empty.map(({ panel }) => panel.title).filter((title) => !mayBeEmpty.has(title))).toEqual([]);
  });
});
