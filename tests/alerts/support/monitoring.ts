import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { anyFreePort } from '@indelible/local-infrastructure';
import { eventually, testPrometheus } from '@indelible/testing';

const alerts = resolve(import.meta.dirname, '../../../deploy/prometheus/alerts.yaml');

/** The rules as they are deployed, with times for which nobody waits in a test: what is `for` minutes, and what is old after minutes. */
const hurried = (rules: string): string =>
  rules
    .replaceAll(/^( *for:) \d+[mh]$/gm, '$1 0s')
    .replaceAll(/^( *interval:) \d+s$/gm, '$1 1s')
    .replaceAll(/(_seconds\)) > (?:60|120|300|600)\b/g, '$1 > 8');

/** As Prometheus posts them to Alertmanager's API: what is resolved has ended. */
type Alert = { readonly labels: { readonly alertname: string }; readonly endsAt: string };

/** A series of a query over a range. */
export type Series = {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
};

export type Monitoring = Awaited<ReturnType<typeof startMonitoring>>;

/** Prometheus, which scrapes these services, and a receiver of its alerts in the place of Alertmanager. */
export async function startMonitoring(internalUrls: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'indelible-alerts-'));
  const port = await anyFreePort();
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
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
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
    await eventually(() => fetch(`http://127.0.0.1:${port}/-/ready`), { timeoutMs: 60_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    /** The names of the alerts that the receiver was told of and that are not resolved. */
    firing: (): readonly string[] => [...firing],
    /** How many services are scraped. */
    async up(): Promise<number> {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=sum(up)`);
      const { data } = (await response.json()) as { data: { result: readonly { value: readonly [number, string] }[] } };
      return Number(data.result[0]?.value[1] ?? 0);
    },
    /**
     * What a query returned between two times (Unix seconds), a value for each `step` seconds.
     * @throws Error with what Prometheus says of a query that it refuses
     */
    async range(query: string, from: number, to: number, step: number): Promise<readonly Series[]> {
      const body = new URLSearchParams({ query, start: `${from}`, end: `${to}`, step: `${step}` });
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query_range`, { method: 'POST', body });
      const answer = (await response.json()) as { error?: string; data: { result: readonly Series[] } };
      if (!response.ok) throw new Error(`${query}: ${answer.error}`);
      return answer.data.result;
    },
    stop,
  };
}
