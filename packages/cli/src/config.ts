import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobStoreConfig } from '@indelible/blob-store';
import { type Hex, parseAddress } from '@indelible/identifiers';
import { publicTopicDefaults, publicTopicOf } from '@indelible/public-events';
import { type Environment, readEnvironment } from '@indelible/service-runtime';
import { SettingsError } from './settings-error.ts';

/** Where accounts and keys are. */
export type StoreSettings = { readonly databaseUrl: string };

/** Where messages are. `topicPrefix` is empty but where several installations share a broker. */
export type BrokerSettings = {
  readonly brokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly topicPrefix: string;
};

/** What opening an account takes besides. `custodySeed` is hex, or the path of a seed file; addresses are lower-case. */
export type OpeningSettings = StoreSettings & {
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  readonly custodySeed: string;
};

/** The chain-indexer's internal server. */
export type IndexerSettings = { readonly url: string };

/** What the doctor looks at, as far as a run of it needs to know. */
export type DoctorConfig = StoreSettings & {
  readonly chainId: number;
  readonly chain?: { readonly rpcUrls: readonly string[]; readonly contract: Hex };
  readonly blobStore?: BlobStoreConfig;
};

/** Settings of a command: variables first, then what a local start wrote; each is read when a command needs it. */
export type Config = {
  store(): StoreSettings;
  opening(): OpeningSettings;
  broker(): BrokerSettings;
  indexer(): IndexerSettings;
  doctor(parts: ReadonlySet<'chain' | 'blobs'>): Promise<DoctorConfig>;
  /** The environment of a service's program that rebuilds a read model: what that needs, and nothing else. */
  rebuilding(from: 'topics' | 'chain'): Record<string, string>;
  /** The environment of the program that replays public events. */
  replaying(): Record<string, string>;
  /** The public topic, as it is called on the brokers. */
  publicTopic(): string;
};

/** The files of a local start, under the folder in which the command runs. */
const localFolder = '.local';
/** Keys of `connection.json` by the variable that they stand for. */
const keyOf = {
  DATABASE_URL: 'databaseUrl',
  KAFKA_BROKERS: 'kafkaBrokers',
  SCHEMA_REGISTRY_URL: 'schemaRegistryUrl',
  RPC_URL: 'rpcUrl',
  CHAIN_ID: 'chainId',
  CONTRACT_ADDRESS: 'contractAddress',
  OPERATOR_ADDRESS: 'operatorAddress',
  BLOB_STORE_DIRECTORY: 'blobDirectory',
  PUBLIC_URL: 'rootUrl',
} as const;
type Variable = keyof typeof keyOf;

/** Where a local start has it. */
const usualIndexerUrl = 'http://127.0.0.1:8102';

/** @param folder the repository's root. Its methods throw SettingsError. */
export function createConfig(environment: Environment, folder: string): Config {
  const connectionFile = join(folder, localFolder, 'connection.json');

  function settingsFor(variables: readonly Variable[]): Environment {
    const given = variables.every((variable) => environment[variable]);
    const local = given ? {} : readConnection(connectionFile);
    const found = variables.map((variable) => [variable, environment[variable] || local[keyOf[variable]]] as const);
    const missing = found.filter(([, value]) => value === undefined).map(([variable]) => variable);
    if (missing.length > 0) throw new SettingsError(`run \`npm start\` first, or set ${missing.join(', ')}`);
    return Object.fromEntries(found);
  }

  const store = (): StoreSettings => {
    const read = readEnvironment(settingsFor(['DATABASE_URL']));
    const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
    finish(read);
    return { databaseUrl };
  };

  return {
    store,
    broker() {
      const read = readEnvironment(settingsFor(['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL']));
      const settings = {
        brokers: read.list('KAFKA_BROKERS'),
        schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', ['http:', 'https:']),
        topicPrefix: environment.TOPIC_PREFIX ?? '',
      };
      finish(read);
      return settings;
    },
    indexer() {
      const read = readEnvironment(environment);
      const url = read.url('INDEXER_URL', ['http:', 'https:'], usualIndexerUrl).replace(/\/+$/, '');
      finish(read);
      return { url };
    },
    async doctor(parts) {
      const isLocal = (environment.BLOB_STORE || 'local') === 'local';
      const chainVariables = ['RPC_URL', 'CONTRACT_ADDRESS'] as const;
      const found = settingsFor([
        'DATABASE_URL',
        'CHAIN_ID',
        ...(parts.has('chain') ? chainVariables : []),
        ...(parts.has('blobs') && isLocal ? (['BLOB_STORE_DIRECTORY'] as const) : []),
      ]);
      const read = readEnvironment({ ...environment, ...found });
      const settings: DoctorConfig = {
        databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
        chainId: read.integer('CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER }),
        ...(parts.has('chain')
          ? { chain: { rpcUrls: read.list('RPC_URL'), contract: address(read, 'CONTRACT_ADDRESS') } }
          : {}),
        ...(parts.has('blobs') ? { blobStore: (await import('@indelible/blob-store')).readBlobStoreConfig(read) } : {}),
      };
      finish(read);
      return settings;
    },
    rebuilding(from) {
      const needed: readonly Variable[] =
        from === 'chain'
          ? ['DATABASE_URL', 'RPC_URL', 'CHAIN_ID', 'CONTRACT_ADDRESS']
          : ['DATABASE_URL', 'KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL'];
      const more = from === 'chain' ? ['START_BLOCK', 'RPC_TIMEOUT_MS'] : ['TOPIC_PREFIX'];
      return givenOf({ ...settingsFor(needed), ...Object.fromEntries(more.map((name) => [name, environment[name]])) });
    },
    replaying() {
      const needed = ['DATABASE_URL', 'KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'PUBLIC_URL'] as const;
      const more = ['TOPIC_PREFIX', 'PUBLIC_TOPIC_PREFIX', 'EVENT_SOURCE'];
      return givenOf({ ...settingsFor(needed), ...Object.fromEntries(more.map((name) => [name, environment[name]])) });
    },
    publicTopic: () => publicTopicOf(environment.PUBLIC_TOPIC_PREFIX ?? publicTopicDefaults.prefix),
    opening() {
      const read = readEnvironment(
        settingsFor(['DATABASE_URL', 'RPC_URL', 'CHAIN_ID', 'CONTRACT_ADDRESS', 'OPERATOR_ADDRESS']),
      );
      const settings = {
        databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
        rpcUrls: read.list('RPC_URL'),
        chainId: read.integer('CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER }),
        contract: address(read, 'CONTRACT_ADDRESS'),
        operator: address(read, 'OPERATOR_ADDRESS'),
        custodySeed:
          environment.CUSTODY_SEED ||
          environment.CUSTODY_SEED_FILE ||
          join(folder, localFolder, 'secrets', 'custody.seed'),
      };
      finish(read);
      return settings;
    },
  };
}

/** Without what is not set. */
const givenOf = (settings: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (value ? [[name, value]] : [])));

type Reader = ReturnType<typeof readEnvironment>;

function address(read: Reader, variable: Variable): Hex {
  const text = read.matching(variable, /^0x[0-9a-fA-F]{40}$/, 'an address: 0x and 40 hex digits');
  return parseAddress(text.toLowerCase()) ?? '0x';
}

function finish(read: Reader): void {
  try {
    read.finish();
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message.replaceAll(/\s*\n\s*/g, ' ') : String(error));
  }
}

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
