import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Java, jvmOptions } from '../servers/java.ts';
import type { Artifact } from '../servers/maven.ts';
import { providePrivateFolder } from '../servers/private-folder.ts';
import type { Server, Supervisor } from '../servers/supervisor.ts';

/** The registry as one archive of jars. Later releases need a newer Java than 17. */
export const REGISTRY_ARTIFACT: Artifact = {
  group: 'io.apicurio',
  name: 'apicurio-registry-app',
  version: '3.0.9',
  type: 'tar.gz',
  classifier: 'all',
};

/** Name of the folder of downloads. */
export const REGISTRY_DOWNLOAD = 'apicurio-registry-3.0.9';

/** A database of the registry's own. */
export interface RegistryDatabase {
  readonly jdbcUrl: string;
  readonly user: string;
  readonly password: string;
}

/** Everything the registry needs to start. */
export interface RegistryOptions {
  readonly folder: string;
  readonly java: Java;
  readonly dataDir: string;
  readonly port: number;
  readonly database: RegistryDatabase;
  readonly supervisor: Supervisor;
  readonly env: Readonly<Record<string, string>>;
}

/** The address clients use: the registry speaks the protocol of Confluent's under this path. */
export function registryUrl(port: number): string {
  return `http://127.0.0.1:${port}/apis/ccompat/v7`;
}

/**
 * Schema ids are in the messages of topics that are kept forever, so the registry stores them in Postgres, durably
 * before it responds. Its in-memory storage loses them; the one in Kafka rereads the whole log at every start.
 */
export function registryEnvironment(port: number, database: RegistryDatabase): Record<string, string> {
  return {
    QUARKUS_HTTP_HOST: '127.0.0.1',
    QUARKUS_HTTP_PORT: String(port),
    QUARKUS_LOG_LEVEL: 'WARN',
    QUARKUS_HTTP_ACCESS_LOG_ENABLED: 'false',
    APICURIO_STORAGE_KIND: 'sql',
    APICURIO_STORAGE_SQL_KIND: 'postgresql',
    APICURIO_DATASOURCE_URL: database.jdbcUrl,
    APICURIO_DATASOURCE_USERNAME: database.user,
    APICURIO_DATASOURCE_PASSWORD: database.password,
    APICURIO_DATASOURCE_JDBC_INITIAL_SIZE: '1',
    APICURIO_DATASOURCE_JDBC_MIN_SIZE: '1',
    APICURIO_DATASOURCE_JDBC_MAX_SIZE: '8',
  };
}

/** Starts the registry. It does not answer yet: see {@link registryAnswers}. */
export async function startRegistry(options: RegistryOptions): Promise<Server> {
  await providePrivateFolder(options.dataDir);
  await mkdir(join(options.dataDir, 'tmp'), { recursive: true });
  return options.supervisor.start({
    name: 'registry',
    command: options.java.command,
    args: [
      ...jvmOptions({ heapMegabytes: 160, temporaryDirectory: join(options.dataDir, 'tmp') }),
      '-jar',
      join(options.folder, 'apicurio-registry-app-3.0.9-runner.jar'),
    ],
    cwd: options.dataDir,
    env: { ...options.env, ...registryEnvironment(options.port, options.database) },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
  });
}

/** Resolves when the registry lists its subjects; rejects otherwise. */
export async function registryAnswers(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${url.replace(/\/+$/, '')}/subjects`, { signal });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the schema registry answers ${response.status}`);
}
