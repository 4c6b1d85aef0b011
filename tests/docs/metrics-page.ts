import { readFile, writeFile } from 'node:fs/promises';
import { environmentOf, type ServiceName, type ServiceSettings, serviceNames, wantedPorts } from '@indelible/launcher';
import { createLogger, createServiceMetrics, noTracing, stages } from '@indelible/service-runtime';
import { readConfig as readIndexerConfig } from '../../services/chain-indexer/src/config.ts';
import { createChainIndexerService } from '../../services/chain-indexer/src/service.ts';
import { readConfig as readGatewayConfig } from '../../services/gateway/src/config.ts';
import { createGatewayService } from '../../services/gateway/src/service.ts';
import { readConfig as readNotificationsConfig } from '../../services/notifications/src/config.ts';
import { createNotificationsService } from '../../services/notifications/src/service.ts';
import { readConfig as readStampingConfig } from '../../services/stamping/src/config.ts';
import { createStampingService } from '../../services/stamping/src/service.ts';
import { readConfig as readStorageConfig } from '../../services/storage/src/config.ts';
import { createStorageService } from '../../services/storage/src/service.ts';
import { readConfig as readVerificationConfig } from '../../services/verification/src/config.ts';
import { createVerificationService } from '../../services/verification/src/service.ts';

/**
 * Writes docs/metrics.md from the metrics that the services register on creation: nothing is started. With `--check` it
 * only compares, and exits with 1 when the page is stale.
 */
const page = new URL('../../docs/metrics.md', import.meta.url);

const nowhere = 'http://127.0.0.1:1';
const settings: ServiceSettings = {
  databaseUrl: 'postgresql://127.0.0.1:1/none',
  kafkaBrokers: '127.0.0.1:1',
  schemaRegistryUrl: nowhere,
  redisUrl: 'redis://127.0.0.1:1',
  rpcUrl: nowhere,
  chainId: 31337,
  contractAddress: `0x${'1'.repeat(40)}`,
  operatorSeed: '01'.repeat(32),
  webhookSealingKeys: `page:${Buffer.alloc(32, 1).toString('base64')}`,
  blobDirectory: '/nonexistent',
  topicPrefix: '',
  publicTopicPrefix: '',
  ports: wantedPorts,
};

type Registered = { readonly name: string; readonly type: string; readonly labels: string; readonly help: string };

const logger = createLogger({ service: 'metrics page', level: 'silent' });
const ignore = (): void => {};

/** Makes the service; its metrics are in the registry then. */
async function create(service: ServiceName, metrics: ReturnType<typeof createServiceMetrics>): Promise<unknown> {
  const environment = environmentOf(service, settings);
  switch (service) {
    case 'gateway':
      return createGatewayService(readGatewayConfig(environment), logger, ignore, noTracing, metrics);
    case 'stamping':
      return createStampingService(readStampingConfig(environment), logger, ignore, noTracing, metrics);
    case 'chain-indexer':
      return createChainIndexerService(readIndexerConfig(environment), logger, ignore, noTracing, metrics);
    case 'storage':
      return createStorageService(readStorageConfig(environment), logger, ignore, noTracing, metrics);
    case 'verification':
      return createVerificationService(readVerificationConfig(environment), logger, ignore, noTracing, metrics);
    case 'notifications':
      return createNotificationsService(readNotificationsConfig(environment), logger, ignore, noTracing, metrics);
  }
}

/** Those that prom-client has on Linux alone: the page is the same everywhere. */
const ofLinux = ['process_virtual_memory_bytes', 'process_heap_bytes', 'process_open_fds', 'process_max_fds'];

async function registeredBy(service: ServiceName): Promise<readonly Registered[]> {
  const metrics = createServiceMetrics(service);
  await create(service, metrics);
  return metrics
    .getMetricsAsArray()
    .map((metric) => metric as unknown as Omit<Registered, 'labels'> & { readonly labelNames: readonly string[] })
    .map(({ name, type, help, labelNames }) => ({ name, type, help, labels: labelNames.join(', ') }))
    .filter(({ name }) => !ofLinux.includes(name));
}

type Row = Registered & { readonly services: readonly ServiceName[] };

/** @throws Error when services describe one metric differently */
function rowsOf(registered: ReadonlyMap<ServiceName, readonly Registered[]>): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const [service, metrics] of registered)
    for (const metric of metrics) {
      const known = rows.get(metric.name);
      if (
        known !== undefined &&
        `${known.type} ${known.labels} ${known.help}` !== `${metric.type} ${metric.labels} ${metric.help}`
      )
        throw new Error(`${metric.name} is not the same in ${known.services.join(', ')} and ${service}`);
      rows.set(metric.name, { ...metric, services: [...(known?.services ?? []), service] });
    }
  return [...rows.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (rows: readonly Row[]): string =>
  [
    '| metric | type | labels | meaning | services |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(({ name, type, labels, help, services }) => {
      const by = services.length === serviceNames.length ? 'all' : services.join(', ');
      return `| \`${name}\` | ${type} | ${labels} | ${cell(help)} | ${by} |`;
    }),
  ].join('\n');

function pageOf(rows: readonly Row[]): string {
  const ours = rows.filter(({ name }) => name.startsWith('indelible_'));
  const shared = ours.filter(({ services }) => services.length > 1);
  const sections = serviceNames.map((service) => {
    const own = ours.filter(({ services }) => services.length === 1 && services[0] === service);
    return `## ${service}\n\n${table(own)}`;
  });
  const stageRows = Object.entries(stages).map(([stage, meaning]) => `| \`${stage}\` | ${meaning} |`);
  return `<!-- Generated by tests/docs/metrics-page.ts from what the services register; not to be edited. -->

# Metrics

\`GET /metrics\` on the \`INTERNAL_PORT\` of each service, in the text format of Prometheus. A local start writes each service's internal address
into \`.local/connection.json\`, under \`internalUrls\`. What to alert on is in [operations.md](operations.md).

- Every name begins with \`indelible_\`, but for what Node and the process report. Seconds are \`_seconds\`, bytes \`_bytes\`, counters end in \`_total\`.
- A gauge of what is looked up elsewhere (a backlog, in Postgres or Kafka) is NaN, or absent, while that server does not answer.
- Such gauges are the same in every replica: use \`max\`, not \`sum\`. Counters, histograms and lags are each replica's own: use \`sum\`.
- No label has an account, an id, or an address other than a lane's.

## Stages of a stamp

\`indelible_stage_duration_seconds\` has the time of each stage, by the label \`stage\`. Where work waits between two stages is shown
by \`indelible_stamping_stamps_under_way\`, \`indelible_consumer_lag_messages\`, \`indelible_relay_oldest_unpublished_seconds\` and \`indelible_storage_files_pending\`.

| stage | from and to |
| --- | --- |
${stageRows.join('\n')}

## Several services

${table(shared)}

${sections.join('\n\n')}

## Node and process

By prom-client, in every service; on Linux also ${ofLinux.map((name) => `\`${name}\``).join(', ')}.

${table(rows.filter(({ name }) => !name.startsWith('indelible_')))}
`;
}

const registered = new Map<ServiceName, readonly Registered[]>();
for (const service of serviceNames) registered.set(service, await registeredBy(service));
const text = pageOf(rowsOf(registered));
if (!process.argv.includes('--check')) await writeFile(page, text);
else if ((await readFile(page, 'utf8').catch(() => '')) !== text) {
  console.error('docs/metrics.md is stale: run node_modules/node/bin/node tests/docs/metrics-page.ts');
  process.exitCode = 1;
}
// Redis clients connect by themselves, to a missing server.
process.exit();
