import { resolve } from 'node:path';
import type { Hex } from '@indelible/identifiers';
import { readAddresses } from '@indelible/local-infrastructure';
import { type PublicTopicSettings, publicTopicDefaults } from '@indelible/public-events';
import { readEnvironment } from '@indelible/service-runtime';
import { Command } from 'commander';

export type LauncherOptions = {
  readonly fresh: boolean;
  /** Confirms that a fresh start may delete the seeds. */
  readonly yes: boolean;
  /** Variables that name servers, or a contract, of somebody else's. */
  readonly given: readonly string[];
  readonly addresses: ReturnType<typeof readAddresses>;
  readonly contractAddress: Hex | undefined;
  readonly publicTopic: PublicTopicSettings;
  readonly localDir: string;
};

const variables = ['DATABASE_URL', 'KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'REDIS_URL', 'RPC_URL', 'CONTRACT_ADDRESS'];

const hourMs = 3_600_000;

/** Reads the command line and the addresses that the environment gives. */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): LauncherOptions {
  const command = new Command('npm start --')
    .description('Start Indelible: infrastructure, contract, services, a first account.')
    .option('--fresh', 'forget all data of earlier starts, the chain included; seeds and keys are put aside', false)
    .option('--yes', 'with --fresh: delete the seeds and keys, too', false)
    .parse(argv, { from: 'user' });
  const read = readEnvironment(environment);
  const contract = read.optionalText('CONTRACT_ADDRESS');
  if (contract !== undefined) read.matching('CONTRACT_ADDRESS', /^0x[0-9a-fA-F]{40}$/, 'an address');
  const retentionHours = read.integer('PUBLIC_TOPIC_RETENTION_HOURS', {
    default: publicTopicDefaults.retentionMs / hourMs,
    min: -1,
    max: 1_000_000,
  });
  const publicTopic: PublicTopicSettings = {
    prefix: read.text('PUBLIC_TOPIC_PREFIX', publicTopicDefaults.prefix),
    partitions: read.integer('PUBLIC_TOPIC_PARTITIONS', {
      default: publicTopicDefaults.partitions,
      min: 1,
      max: 1_000,
    }),
    retentionMs: retentionHours === -1 ? -1 : retentionHours * hourMs,
    cleanupPolicy: read.choice(
      'PUBLIC_TOPIC_CLEANUP',
      ['delete', 'compact', 'compact,delete'],
      publicTopicDefaults.cleanupPolicy,
    ),
  };
  read.finish();
  const { fresh, yes } = command.opts<{ fresh: boolean; yes: boolean }>();
  return {
    fresh,
    yes,
    given: variables.filter((name) => environment[name]),
    addresses: readAddresses(environment),
    contractAddress: contract?.toLowerCase() as Hex | undefined,
    publicTopic,
    localDir: resolve(import.meta.dirname, '../../../.local'),
  };
}
