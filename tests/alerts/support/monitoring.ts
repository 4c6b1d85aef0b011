import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually, fixedPort, testPrometheus } from '@indelible/testing';

const alerts = resolve(import.meta.dirname, '../../../deploy/prometheus/alerts.yaml');

/** The deployed rules with times short enough for a test: `for` minutes, and what is old after minutes. */
const hurried = (rules: string): string =>
  rules
    .replaceAll(/^( *for:) \d+[mh]$/gm, '$1 0s')
    .replaceAll(/^( *interval:) \d+s$/gm, '$1 1s')
    .replaceAll(/(_seconds\)) > (?:60|120|300|600|3600)\b/g, '$1 > 8');

/** As Prometheus posts them to Alertmanager's API: what is resolved has ended. */
type Alert = { readonly labels: { readonly alertname: string }; readonly endsAt: string };

/** A series of a query over a range. */
export type Series = {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
};

/** A series as it is now. */
export type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: number };

export type Monitoring = Awaited<ReturnType<typeof startMonitoring>>;

/**
 * Prometheus, which scrapes these services, and a receiver of its alerts in the place of Alertmanager.
 * @param options.scrapeSeconds more than 2 where a server of theirs does not answer: so long a service waits for it
 */
export async function startMonitoring(
  internalUrls: Readonly<Record<string, string>>,
  { scrapeSeconds = 1 }: { readonly scrapeSeconds?: number } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'indelible-alerts-'));
  const port = await fixedPort();
  const url = `http://127.0.0.1:${port}`;
  const firing = new Set<string>();
  const receiver = createServer(async (request, response) => {
    for (const { labels, endsAt } of JSON.parse(await text(request)) as readonly Alert[])
      if (Date.parse(endsAt) > Date.now()) firing.add(labels.alertname);
      else firing.delete(labels.alertname);
    response.end();
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const receiverHost = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  await writeFile(join(folder, 'alerts.yaml'), hurried(await readFile(alerts, 'utf8')));
  const hosts = Object.values(internalUrls).map((url) => new URL(url).host);
  const settings = {
    global: { scrape_interval: `${scrapeSeconds}s`, evaluation_interval: '1s' },
    rule_files: ['alerts.yaml'],
    alerting: { alertmanagers: [{ api_version: 'v2', static_configs: [{ targets: [receiverHost] }] }] },
    scrape_configs: [{ job_name: 'indelible', static_configs: [{ targets: hosts }] }],
  };
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(settings));
  const listen = `--web.listen-address=127.0.0.1:${port}`;
  const prometheus = spawn(
    testPrometheus().prometheus,
    ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', listen],
    { cwd: folder, stdio: 'ignore' },
  );
  const ended = once(prometheus, 'exit');
  const stop = async (): Promise<void> => {
    prometheus.kill('SIGTERM');
    await ended;
    receiver.closeAllConnections();
    receiver.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => fetch(`${url}/-/ready`), { timeoutMs: 60_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  /**
   * The current result of a query.
   * @throws Error with Prometheus's message for a refused query
   */
  const now = async (query: string): Promise<readonly Sample[]> => {
    const response = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query }) });
    const answer = (await response.json()) as {
      error?: string;
      data: { result: readonly { metric: Sample['metric']; value: readonly [number, string] }[] };
    };
    if (!response.ok) throw new Error(`${query}: ${answer.error}`);
    return answer.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  };
  return {
    /** Names of the alerts that the receiver got and that are not resolved. */
    firing: (): readonly string[] => [...firing],
    url,
    now,
    /** How many services are scraped. */
    up: async (): Promise<number> => (await now('sum(up)'))[0]?.value ?? 0,
    /**
     * A query's results between two times (Unix seconds), one value per `step` seconds.
     * @throws Error with Prometheus's message for a refused query
     */
    async range(query: string, from: number, to: number, step: number): Promise<readonly Series[]> {
      const body = new URLSearchParams({ query, start: `${from}`, end: `${to}`, step: `${step}` });
      const response = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body });
      const answer = (await response.json()) as { error?: string; data: { result: readonly Series[] } };
      if (!response.ok) throw new Error(`${query}: ${answer.error}`);
      return answer.data.result;
    },
    stop,
  };
}
