import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LaneKeysConfig } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import type { PublicTopicSettings } from '@indelible/public-events';
import type { Setting } from '@indelible/service-runtime';
import { type DatabaseUser, type ServiceName, serviceNames } from './provisioning.ts';
import * as settings from './settings.ts';

/** Chain settings; a new installation has no contract yet. */
export type ChainSettings = {
  readonly rpcUrls: readonly string[];
  readonly chainId: number | undefined;
  readonly contract: Hex | undefined;
};

/** The operator's seed: hex, or the path of its file. */
export type OperatorSettings = { readonly seed: string };

export type StatusSettings = {
  /** The base of each service's internal server. */
  readonly services: Readonly<Record<ServiceName, string>>;
};

/** Settings of the commands that set up and operate an installation. */
export type OperatingConfig = {
  publicTopicSettings(): PublicTopicSettings;
  /** Of the database's roles, where given. */
  databasePasswords(): Readonly<Partial<Record<DatabaseUser, string | undefined>>>;
  chain(): ChainSettings;
  operator(): OperatorSettings;
  laneKeys(): LaneKeysConfig;
  status(): StatusSettings;
  /** The environment of the services' migrations. */
  migrating(): Record<string, string>;
  /** The environment of stamping's program for lanes. */
  lanes(): Record<string, string>;
  /** The environment of stamping's program that brings a restored database up to date. */
  restoring(): Record<string, string>;
};

const usualInternalUrls = {
  gateway: 'http://127.0.0.1:8100',
  stamping: 'http://127.0.0.1:8101',
  'chain-indexer': 'http://127.0.0.1:8102',
  storage: 'http://127.0.0.1:8103',
  verification: 'http://127.0.0.1:8104',
  notifications: 'http://127.0.0.1:8105',
} as const satisfies Record<ServiceName, string>;

/**
 * @param options.read reads variables first, then what a local start wrote; throws SettingsError
 * @param options.passedOn the variables of a setting, for a program that reads them by itself
 */
export function createOperatingConfig(options: {
  readonly read: <Value>(setting: Setting<Value>) => Value;
  readonly passedOn: (setting: Setting<unknown>) => Record<string, string>;
  readonly localFolder: string;
}): OperatingConfig {
  const { read, passedOn } = options;
  const localSeed = join(options.localFolder, 'secrets', 'operator.seed');
  const withLaneKeys = (setting: Setting<unknown>): Record<string, string> => {
    const keys = read(settings.laneKeys);
    const { OPERATOR_SEED, OPERATOR_SEED_FILE, ...others } = passedOn(setting);
    if (keys !== undefined && keys.of !== 'operator-seed') return others;
    if (OPERATOR_SEED !== undefined) return { ...others, OPERATOR_SEED };
    return { ...others, OPERATOR_SEED_FILE: OPERATOR_SEED_FILE ?? localSeed };
  };
  return {
    publicTopicSettings: () => read(settings.publicTopic),
    databasePasswords: () => read(settings.databasePasswords),
    chain: () => read(settings.knownChain),
    operator: () => ({ seed: read(settings.operatorSeed) ?? localSeed }),
    // A local start derives its lanes from the operator's seed.
    laneKeys: () =>
      read(settings.laneKeys) ?? { of: 'operator-seed', seed: localSeed, count: read(settings.laneCount) },
    status() {
      const local = readInternalUrls(join(options.localFolder, 'connection.json'));
      const given = read(settings.internalServers);
      const urlOf = (service: ServiceName): string => given[service] ?? local[service] ?? usualInternalUrls[service];
      return {
        services: Object.fromEntries(
          serviceNames.map((service) => [service, urlOf(service)]),
        ) as StatusSettings['services'],
      };
    },
    migrating: () => passedOn(settings.store),
    lanes: () => withLaneKeys(settings.lanes),
    restoring: () => withLaneKeys(settings.restore),
  };
}

function readInternalUrls(path: string): Partial<Record<string, string>> {
  try {
    const { internalUrls } = JSON.parse(readFileSync(path, 'utf8')) as { internalUrls?: Record<string, string> };
    return internalUrls ?? {};
  } catch {
    return {};
  }
}
