import { tmpdir } from 'node:os';
import {
  allOf,
  brokerSettings,
  chainId,
  consumerSettings,
  contractAddress,
  databaseSettings,
  type Environment,
  indexerUrl,
  integer,
  internalServerSettings,
  logSettings,
  mapped,
  optional,
  readSettings,
  rpcTimeoutMs,
  rpcUrls,
  settingsMain,
  startBlock,
  text,
  type ValueOf,
} from '@indelible/service-runtime';

export const settings = allOf({
  ...databaseSettings,
  ...brokerSettings,
  ...consumerSettings,
  indexerUrl,
  ...internalServerSettings(8104),
  spoolDirectory: mapped(
    optional(
      text('SPOOL_DIRECTORY', { meaning: 'Where uploads and answers wait for slow senders and readers' }),
      "the system's folder for temporary files",
    ),
    (folder) => folder ?? tmpdir(),
  ),
  spoolMaxBytes: integer('SPOOL_MAX_BYTES', {
    meaning: 'How much of the spool directory they may take together',
    unit: 'bytes',
    default: 4 * 2 ** 30,
    min: 2 ** 27,
    max: 2 ** 50,
  }),
  ...logSettings,
});

export type Config = ValueOf<typeof settings>;

/** @throws ConfigurationError that names every fault */
export const readConfig = (environment: Environment): Config => readSettings(settings, environment);

const rebuildSettings = allOf({ ...databaseSettings, ...brokerSettings });

/** What rebuilding a read model from its topics needs. */
export type RebuildConfig = ValueOf<typeof rebuildSettings>;

/** @throws ConfigurationError */
export const readRebuildConfig = (environment: Environment): RebuildConfig =>
  readSettings(rebuildSettings, environment);

const chainRebuildSettings = allOf({
  ...databaseSettings,
  chainId,
  rpcUrls,
  rpcTimeoutMs,
  contractAddress,
  startBlock,
});

/** What rebuilding it from the chain alone needs: no broker. */
export type ChainRebuildConfig = ValueOf<typeof chainRebuildSettings>;

/** @throws ConfigurationError */
export const readChainRebuildConfig = (environment: Environment): ChainRebuildConfig =>
  readSettings(chainRebuildSettings, environment);

if (import.meta.main) settingsMain(settings, process.argv.slice(2));
