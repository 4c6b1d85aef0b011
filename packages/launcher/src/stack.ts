import { join } from 'node:path';
import { accountsSchema, createAccountStore } from '@indelible/accounts';
import { decodeDelegatedAuthority, encodeDelegatedAuthority } from '@indelible/commitment-contract';
import { createRpc, ethCall } from '@indelible/ethereum';
import { checksumAddress, type Hex } from '@indelible/identifiers';
import { createDatabase } from '@indelible/postgres';
import { type PublicTopicSettings, publicTopicDefaults } from '@indelible/public-events';
import { createLogger } from '@indelible/service-runtime';
import type { DatabaseUrls } from './database-users.ts';
import { type Provisioned, provision } from './provision.ts';
import { type Addresses, anyFreePort, type OnStep, runStep, waitUntil } from './servers.ts';
import { chooseServicePorts } from './service-ports.ts';
import { entryOf, environmentOf, type ServiceName, type ServiceSettings, serviceNames } from './service-table.ts';
import { type SupervisedService, superviseService } from './supervised-service.ts';

const readyTimeoutMs = 90_000;

/**
 * What a client or person needs to use the running service. `databaseUrl` is the administrator's: tests and benchmarks
 * read all schemas with it.
 */
export type Connection = Addresses & {
  /** By the role of each service, which reaches its own schemas alone. */
  readonly databaseUrls: DatabaseUrls;
  readonly rootUrl: string;
  readonly apiKey: string;
  /** EIP-55. */
  readonly userAddress: Hex;
  readonly contractAddress: Hex;
  readonly operatorAddress: Hex;
  readonly chainId: number;
  /** The folder of staged and stored files. */
  readonly blobDirectory: string;
  /** Base of each service's `/metrics` and `/health/ready`. */
  readonly internalUrls: Readonly<Record<ServiceName, string>>;
};

export type StackOptions = {
  readonly addresses: Addresses;
  /** Holds the stored files and the contract's address. */
  readonly dataDir: string;
  readonly secretsDir: string;
  readonly topicPrefix: string;
  /** Its prefix follows the topic prefix. Default: {@link publicTopicDefaults}. */
  readonly publicTopic?: PublicTopicSettings;
  readonly ports: 'wanted first' | 'any';
  readonly contractAddress?: Hex;
  /** The database serves nothing else: no other role of its server may connect. Default: it may serve other programs. */
  readonly closeDatabaseToOthers?: boolean;
  /** Settings of every service, beside its own. */
  readonly common?: Readonly<Record<string, string>>;
  /** More settings of a service, over the stack's own. */
  readonly environment?: Partial<Record<ServiceName, Record<string, string>>>;
  readonly onStep: OnStep;
  readonly onLine: (service: ServiceName, line: string) => void;
  readonly signal: AbortSignal;
};

export type Stack = {
  readonly connection: Connection;
  readonly services: Readonly<Record<ServiceName, SupervisedService>>;
  /** Starts another process of a service; `environment` overrides the service's own. Stopped with the stack. */
  startReplica(name: ServiceName, environment?: Readonly<Record<string, string>>): Promise<SupervisedService>;
  /** Drains the services, the gateway first; resolves when none is left. */
  stop(): Promise<void>;
};

/** Provisions everything on running servers, starts all services, and resolves when clients can stamp. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const publicTopic = options.publicTopic ?? publicTopicDefaults;
  const provisioned = await provision(options.addresses, {
    ...options,
    publicTopic,
    closeDatabaseToOthers: options.closeDatabaseToOthers ?? false,
  });
  const settings: ServiceSettings = {
    ...options.addresses,
    ...provisioned,
    blobDirectory: join(options.dataDir, 'blobs'),
    topicPrefix: options.topicPrefix,
    publicTopicPrefix: publicTopic.prefix,
    ports: await chooseServicePorts(options.ports),
  };
  const services = startServices(settings, options);
  const replicas: SupervisedService[] = [];
  const stop = async (): Promise<void> => {
    // The gateway first, so that what it has accepted can still be answered.
    await services.gateway.stop();
    const others = [...serviceNames.map((name) => services[name]), ...replicas];
    await Promise.all(others.map((service) => service.stop()));
  };
  try {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(readyTimeoutMs)]);
    await Promise.all(
      serviceNames.map((name) =>
        runStep(options.onStep, name, async () => {
          await services[name].untilReady(signal);
          return { value: undefined, detail: services[name].internalUrl };
        }),
      ),
    );
    await runStep(options.onStep, 'grant on chain', async () => {
      await untilGranted(settings, provisioned, signal);
      return { value: undefined, detail: '' };
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const { account, apiKey, chainId, contractAddress, operator } = provisioned;
  return {
    connection: {
      rootUrl: `http://127.0.0.1:${settings.ports.api}`,
      apiKey,
      userAddress: checksumAddress(account),
      contractAddress: checksumAddress(contractAddress),
      operatorAddress: checksumAddress(operator),
      chainId,
      blobDirectory: settings.blobDirectory,
      databaseUrls: provisioned.databaseUrls,
      internalUrls: Object.fromEntries(
        serviceNames.map((name) => [name, services[name].internalUrl]),
      ) as Connection['internalUrls'],
      ...options.addresses,
    },
    services,
    async startReplica(name, environment = {}) {
      const port = await anyFreePort();
      const replica = startService(name, port, settings, options, { INTERNAL_PORT: String(port), ...environment });
      replicas.push(replica);
      await replica.untilReady(AbortSignal.any([options.signal, AbortSignal.timeout(readyTimeoutMs)]));
      return replica;
    },
    stop,
  };
}

function startServices(settings: ServiceSettings, options: StackOptions): Record<ServiceName, SupervisedService> {
  const start = (name: ServiceName): SupervisedService => startService(name, settings.ports[name], settings, options);
  return Object.fromEntries(serviceNames.map((name) => [name, start(name)])) as Record<ServiceName, SupervisedService>;
}

/** @param internalPort its port, as `over` or the service's own environment sets it */
function startService(
  name: ServiceName,
  internalPort: number,
  settings: ServiceSettings,
  options: StackOptions,
  over: Readonly<Record<string, string>> = {},
): SupervisedService {
  return superviseService({
    name,
    entry: entryOf(name),
    environment: { ...options.common, ...environmentOf(name, settings), ...options.environment?.[name], ...over },
    internalUrl: `http://127.0.0.1:${internalPort}`,
    onLine: (line) => options.onLine(name, line),
    onRestart: (code, signal, delayMs) =>
      options.onLine(name, `ended with ${signal ?? `code ${code}`}; starting again in ${delayMs / 1000} s`),
  });
}

/** The first account can stamp once the operator's grant is on the chain; its settings then show it. */
async function untilGranted(
  settings: ServiceSettings,
  { account, operator, databaseUrls }: Provisioned,
  signal: AbortSignal,
): Promise<void> {
  const rpc = createRpc({ urls: [settings.rpcUrl], timeoutMs: 10_000 });
  const logger = createLogger({ service: 'launcher', level: 'error' });
  const database = createDatabase({
    url: databaseUrls.gateway,
    schema: accountsSchema,
    applicationName: 'launcher',
    logger,
  });
  try {
    const data = encodeDelegatedAuthority({ user: account, delegate: operator });
    const granted = async () => {
      const answer = await ethCall(rpc, { to: settings.contractAddress as Hex, data }, 'latest');
      if (!decodeDelegatedAuthority(answer)) throw new Error(`the grant of ${account} is not on the chain`);
    };
    await waitUntil(granted, { signal, timeoutMs: readyTimeoutMs, intervalMs: 100 });
    await createAccountStore({ database }).noteGrantsSeen([account]);
  } finally {
    rpc.close();
    await database.close();
  }
}
