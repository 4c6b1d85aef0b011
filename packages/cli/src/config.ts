import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobStoreConfig } from '@indelible/blob-store';
import type { Hex } from '@indelible/identifiers';
import { brokerOf } from '@indelible/kafka';
import { publicTopicOf } from '@indelible/public-events';
import {
  type Environment,
  type InternalAddress,
  inspectSettings,
  internalAddress,
  type Setting,
} from '@indelible/service-runtime';
import { createOperatingConfig, type OperatingConfig } from './operating-config.ts';
import * as settings from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Where accounts and keys are. */
export type StoreSettings = { readonly databaseUrl: string };

/** Where messages are. `topicPrefix` is empty unless installations share a broker. */
export type BrokerSettings = ReturnType<typeof brokerOf>;

/** Further settings to open an account. `custodySeed` is hex, or the path of a seed file; addresses are lower-case. */
export type OpeningSettings = StoreSettings & {
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  readonly custodySeed: string;
};

/** Settings that a run of the doctor needs. */
export type DoctorConfig = StoreSettings & {
  readonly chainId: number;
  readonly chain?: { readonly rpcUrls: readonly string[]; readonly contract: Hex };
  readonly blobStore?: BlobStoreConfig;
};

/** Settings of a command: variables first, then what a local start wrote; each is read when a command needs it. */
export type Config = OperatingConfig & {
  store(): StoreSettings;
  opening(): OpeningSettings;
  broker(): BrokerSettings;
  /** The chain-indexer's internal server. */
  indexer(): InternalAddress;
  doctor(parts: ReadonlySet<'chain' | 'blobs'>): Promise<DoctorConfig>;
  /** The minimal environment of a service's program that rebuilds a read model. */
  rebuilding(from: 'topics' | 'chain'): Record<string, string>;
  /** The environment of the program that replays public events. */
  replaying(): Record<string, string>;
  /** All variables, for a service's program that reads its settings from them. */
  everything(): Record<string, string>;
  /** The public topic, as it is called on the brokers. */
  publicTopic(): string;
};

/** The files of a local start, under the folder in which the command runs. */
const localFolder = '.local';
/** Keys of `connection.json` by their variables. */
const keyOf: Readonly<Record<string, string>> = {
  DATABASE_URL: 'databaseUrl',
  KAFKA_BROKERS: 'kafkaBrokers',
  SCHEMA_REGISTRY_URL: 'schemaRegistryUrl',
  RPC_URL: 'rpcUrl',
  CHAIN_ID: 'chainId',
  CONTRACT_ADDRESS: 'contractAddress',
  OPERATOR_ADDRESS: 'operatorAddress',
  BLOB_STORE_DIRECTORY: 'blobDirectory',
  PUBLIC_URL: 'rootUrl',
  INTERNAL_TOKEN: 'internalToken',
};

/** @param folder the repository's root. Its methods throw SettingsError. */
export function createConfig(environment: Environment, folder: string): Config {
  const connectionFile = join(folder, localFolder, 'connection.json');
  const isGiven = (name: string): boolean => Boolean(environment[name] || environment[`${name}_FILE`]);

  /** The environment, with missing variables taken from what a local start wrote. */
  function completed(setting: Pick<Setting<unknown>, 'variables'>): Environment {
    const missing = setting.variables.map(({ name }) => name).filter((name) => keyOf[name] && !isGiven(name));
    if (missing.length === 0) return environment;
    const local = readConnection(connectionFile);
    const found = missing.map((name) => [name, local[keyOf[name] ?? '']] as const);
    return { ...environment, ...Object.fromEntries(found.filter(([, value]) => value !== undefined)) };
  }

  function read<Value>(setting: Setting<Value>): Value {
    const { faults, value } = inspectSettings(setting, completed(setting));
    const missing = faults.filter(({ text }) => text === 'is required').map(({ name }) => name);
    if (missing.length > 0) throw new SettingsError(`run \`npm start\` first, or set ${missing.join(', ')}`);
    if (faults.length > 0) throw new SettingsError(faults.map(({ name, text }) => `${name} ${text}`).join('; '));
    return value;
  }

  /** Only what a service's program reads of these settings, and the path of Node's compile cache. */
  function passedOn(setting: Setting<unknown>): Record<string, string> {
    read(setting);
    const found = completed(setting);
    const names = setting.variables.flatMap(({ name }) => [name, `${name}_FILE`]);
    return givenOf(Object.fromEntries(['NODE_COMPILE_CACHE', ...names].map((name) => [name, found[name]])));
  }

  const operating = createOperatingConfig({ read, passedOn, localFolder: join(folder, localFolder) });
  return {
    ...operating,
    store: () => read(settings.store),
    broker: () => brokerOf(read(settings.broker)),
    indexer() {
      const { internalTokens } = read(settings.indexer);
      return internalAddress(operating.status().services['chain-indexer'], internalTokens);
    },
    async doctor(parts) {
      // Loaded here: the drivers of blob stores would slow down every other command.
      const { blobStoreSettings } = parts.has('blobs') ? await import('@indelible/blob-store') : {};
      const { databaseUrl, chainId, chain, blobStore } = read(
        settings.doctorSettings({ chain: parts.has('chain'), blobStore: blobStoreSettings }),
      );
      return {
        databaseUrl,
        chainId,
        ...(chain && { chain }),
        ...(blobStore && { blobStore }),
      };
    },
    rebuilding: (from) => passedOn(from === 'chain' ? settings.chainRebuild : settings.rebuild),
    replaying: () => passedOn(settings.replay),
    everything: () => givenOf(environment),
    publicTopic: () => publicTopicOf(read(settings.publicTopicPrefix)),
    opening() {
      const { contractAddress, operatorAddress, custodySeed, ...others } = read(settings.opening);
      return {
        ...others,
        contract: contractAddress,
        operator: operatorAddress,
        custodySeed: custodySeed ?? join(folder, localFolder, 'secrets', 'custody.seed'),
      };
    },
  };
}

/** Without what is not set. */
const givenOf = (variables: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** What a local start wrote, as text; nothing when there was none. */
function readConnection(path: string): Environment {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {};
  }
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content !== 'object' || content === null) throw new TypeError('no object');
    return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, String(value)]));
  } catch (cause) {
    throw new SettingsError(`${path} is broken: run \`npm start\` again`, { cause });
  }
}
