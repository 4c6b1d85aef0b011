import { resolve } from 'node:path';
import type { Hex } from '@indelible/identifiers';
import type { PublicTopicSettings } from '@indelible/public-events';
import { publicTopicProvisioning, publicTopicSettings } from '@indelible/public-events/settings';
import { allOf, contractAddress, optional, readSettings } from '@indelible/service-runtime';
import { Command } from 'commander';
import { readAddresses } from './servers.ts';
import { openTelemetryOf } from './service-table.ts';

export type LauncherOptions = {
  readonly fresh: boolean;
  /** Confirms that a fresh start may delete the seeds. */
  readonly yes: boolean;
  /** Variables that name external servers, or a contract. */
  readonly given: readonly string[];
  readonly addresses: ReturnType<typeof readAddresses>;
  readonly contractAddress: Hex | undefined;
  readonly publicTopic: PublicTopicSettings;
  /** Where traces go, for every service. */
  readonly openTelemetry: Readonly<Record<string, string>>;
  readonly localDir: string;
};

const variables = ['DATABASE_URL', 'KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'REDIS_URL', 'RPC_URL', 'CONTRACT_ADDRESS'];

const launcherSettings = allOf({
  contractAddress: optional(contractAddress, 'deployed at the first start'),
  prefix: publicTopicSettings.publicTopicPrefix,
  ...publicTopicProvisioning,
});

/** Reads the command line and the addresses that the environment gives. */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): LauncherOptions {
  const command = new Command('npm start --')
    .description('Start Indelible: infrastructure, contract, services, a first account.')
    .option('--fresh', 'forget all data of earlier starts, the chain included; seeds and keys are put aside', false)
    .option('--yes', 'with --fresh: delete the seeds and keys, too', false)
    .parse(argv, { from: 'user' });
  const { contractAddress: contract, prefix, ...publicTopic } = readSettings(launcherSettings, environment);
  const { fresh, yes } = command.opts<{ fresh: boolean; yes: boolean }>();
  return {
    fresh,
    yes,
    given: variables.filter((name) => environment[name]),
    addresses: readAddresses(environment),
    contractAddress: contract,
    publicTopic: { prefix, ...publicTopic },
    openTelemetry: openTelemetryOf(environment),
    localDir: resolve(import.meta.dirname, '../../../.local'),
  };
}
