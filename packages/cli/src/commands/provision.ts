import { createMessageBus, type ProvisionReport, type TopicReport } from '@indelible/kafka';
import { createLogger } from '@indelible/service-runtime';
import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { provideMessages } from '../provisioning.ts';
import { parseCount } from './parse-options.ts';
import { addProvisionDatabaseCommand } from './provision-database.ts';

type TopicOptions = GlobalOptions & {
  readonly replication?: number;
  readonly minInSync?: number;
  readonly dryRun?: boolean;
};

/** `provision …` */
export function addProvisionCommands(program: Command, context: CommandContext): void {
  const provision = program.command('provision').description('what the services need on the servers');
  provision
    .command('topics')
    .description('creates the topics and registers the schemas that are missing; safe to run again')
    .option('--replication <count>', "replicas of a new topic (default: the brokers' own)", parseCount)
    .option('--min-in-sync <count>', 'replicas that must have a record before it counts as written', parseCount)
    .option('--dry-run', 'only print what would be done')
    .addHelpText(
      'after',
      `
The public topic: PUBLIC_TOPIC_PREFIX, PUBLIC_TOPIC_PARTITIONS, PUBLIC_TOPIC_RETENTION_HOURS, PUBLIC_TOPIC_CLEANUP.
A topic with another number of partitions is refused, before anything is changed: keys would move and lose their order.

Example:
  KAFKA_BROKERS=kafka:9092 SCHEMA_REGISTRY_URL=http://registry:8081 indelible provision topics --replication 3 --min-in-sync 2`,
    )
    .action((_options, command: Command) => provideTopics(context, command.optsWithGlobals<TopicOptions>()));
  addProvisionDatabaseCommand(provision, context);
}

async function provideTopics(context: CommandContext, options: TopicOptions): Promise<void> {
  const { dryRun = false, replication, minInSync } = options;
  const bus = createMessageBus({
    ...context.config.broker(),
    clientId: 'indelible-command',
    source: 'indelible/cli',
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  const report = await provideMessages(bus, context.config.publicTopicSettings(), {
    dryRun,
    ...(replication === undefined ? {} : { replicationFactor: replication }),
    ...(minInSync === undefined ? {} : { minInSyncReplicas: minInSync }),
  });
  if (options.json) context.out(JSON.stringify({ dryRun, ...report }));
  else for (const line of linesOf(report, dryRun)) context.out(line);
}

function* linesOf({ topics, schemas }: ProvisionReport, dryRun: boolean): Iterable<string> {
  const did = (done: string, would: string): string => (dryRun ? would : done);
  for (const report of topics) {
    const line = lineOf(report, did);
    if (line !== undefined) yield line;
    for (const difference of report.differs) yield `${report.topic} differs: ${difference}`;
  }
  for (const { subject, action } of schemas)
    if (action === 'register') yield `${did('registered', 'would register')} ${subject}`;
  const unchanged = topics.filter(({ action }) => action === 'none').length;
  const registered = schemas.filter(({ action }) => action === 'none').length;
  yield `unchanged: ${unchanged} of ${topics.length} topics, ${registered} of ${schemas.length} schemas`;
}

function lineOf(report: TopicReport, did: (done: string, would: string) => string): string | undefined {
  const { topic, partitions, action, changes } = report;
  switch (action) {
    case 'create':
      return `${did('created', 'would create')} ${topic} (${partitions} ${partitions === 1 ? 'partition' : 'partitions'})`;
    case 'change': {
      const settings = changes.map(({ name, from, to }) => `${name} ${from ?? 'unset'} → ${to}`);
      return `${did('changed', 'would change')} ${topic}: ${settings.join(', ')}`;
    }
    case 'none':
      return undefined;
  }
}
