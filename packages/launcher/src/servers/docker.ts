import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ToolEnvironment } from './config.ts';
import { InfrastructureError } from './infrastructure-error.ts';
import { lastLines } from './last-lines.ts';
import type { Addresses, PartName } from './parts.ts';
import {
  anyFreePort,
  choosePorts,
  isPortFree,
  type PortUse,
  readRememberedPorts,
  rememberPorts,
  WANTED_PORTS,
} from './ports.ts';
import { provideSecrets, type Secrets } from './secrets.ts';

const run = promisify(execFile);
const START_TIMEOUT_MS = 5 * 60_000;

/** The containers of one data directory: compose folder and project name. */
export interface ComposeProject {
  readonly composeFile: string;
  readonly dataDir: string;
  readonly tools: ToolEnvironment;
}

/** Whether a Docker engine answers within 3 s and its client can run compose files. Never rejects. */
export async function dockerAnswers(tools: ToolEnvironment): Promise<boolean> {
  const options = { timeout: 3_000, env: tools.all };
  try {
    await run('docker', ['info', '--format', '{{.ServerVersion}}'], options);
    await run('docker', ['compose', 'version'], options);
    return true;
  } catch {
    return false;
  }
}

/** Variables of `docker-compose.yml`: the ports on this machine and the passwords. */
export function composeVariables(ports: Partial<Record<PortUse, number>>, secrets: Secrets, blockTimeSeconds: number) {
  const port = (use: PortUse) => String(ports[use] ?? WANTED_PORTS[use]);
  return {
    INDELIBLE_POSTGRES_PORT: port('postgres'),
    INDELIBLE_KAFKA_PORT: port('kafka'),
    INDELIBLE_REGISTRY_PORT: port('registry'),
    INDELIBLE_REDIS_PORT: port('redis'),
    INDELIBLE_ANVIL_PORT: port('anvil'),
    INDELIBLE_DATABASE_PASSWORD: secrets.databasePassword,
    INDELIBLE_REGISTRY_PASSWORD: secrets.registryPassword,
    INDELIBLE_REDIS_PASSWORD: secrets.redisPassword,
    INDELIBLE_BLOCK_TIME: String(blockTimeSeconds),
  };
}

/** Addresses on this machine of containers with these variables. */
export function composeAddresses(variables: ReturnType<typeof composeVariables>): Addresses {
  return {
    databaseUrl: `postgres://indelible:${variables.INDELIBLE_DATABASE_PASSWORD}@127.0.0.1:${variables.INDELIBLE_POSTGRES_PORT}/indelible`,
    kafkaBrokers: `127.0.0.1:${variables.INDELIBLE_KAFKA_PORT}`,
    schemaRegistryUrl: `http://127.0.0.1:${variables.INDELIBLE_REGISTRY_PORT}/apis/ccompat/v7`,
    redisUrl: `redis://:${variables.INDELIBLE_REDIS_PASSWORD}@127.0.0.1:${variables.INDELIBLE_REDIS_PORT}`,
    rpcUrl: `http://127.0.0.1:${variables.INDELIBLE_ANVIL_PORT}`,
  };
}

/** A name that no other data directory's containers have. */
export function projectName(dataDir: string): string {
  return `indelible-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`;
}

/**
 * Starts containers for these parts and waits until their health checks pass. Stops those of an earlier run first.
 * Throws {@link InfrastructureError} with the end of compose's output.
 */
export async function startContainers(
  project: ComposeProject,
  parts: readonly PartName[],
  options: { blockTimeSeconds: number; signal: AbortSignal },
): Promise<Addresses> {
  const secrets = await provideSecrets(project.dataDir);
  await stopContainers(project);
  const uses: PortUse[] = parts.includes('registry') ? [...new Set<PortUse>([...parts, 'postgres'])] : [...parts];
  const remembered = await readRememberedPorts(project.dataDir);
  const ports = await choosePorts(uses, { wanted: WANTED_PORTS, remembered, isFree: isPortFree, anyFreePort });
  await rememberPorts(project.dataDir, ports);
  const variables = composeVariables(ports, secrets, options.blockTimeSeconds);
  await writeFile(markerFile(project), JSON.stringify(variables), { mode: 0o600 });
  try {
    await compose(project, variables, ['up', '--detach', '--wait', '--wait-timeout', '280', ...parts], options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    const { stderr, message } = error as { stderr?: string; message?: string };
    throw new InfrastructureError(
      'Docker could not start the containers',
      'its last lines say why; or stop the Docker engine to run without it',
      { lastLines: lastLines(stderr || message || '', 12), retryable: true, cause: error },
    );
  }
  return composeAddresses(variables);
}

/** Stops the containers of an earlier or this start, if any; their data stay. */
export async function stopContainers(project: ComposeProject): Promise<void> {
  await withMarker(project, ['stop', '--timeout', '20']);
}

/** Removes the containers with their data. */
export async function removeContainers(project: ComposeProject): Promise<void> {
  await withMarker(project, ['down', '--volumes', '--timeout', '20']);
}

async function withMarker(project: ComposeProject, args: readonly string[]): Promise<void> {
  const text = await readFile(markerFile(project), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  // a start of an earlier version knew fewer variables, and the compose file is refused without them
  const usual = composeVariables({}, await provideSecrets(project.dataDir), 1);
  const started = JSON.parse(text) as Record<string, string>;
  await compose(project, { ...usual, ...started }, args, AbortSignal.timeout(60_000));
}

function markerFile(project: ComposeProject): string {
  return join(project.dataDir, 'docker.json');
}

async function compose(
  project: ComposeProject,
  variables: Readonly<Record<string, string>>,
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await run('docker', ['compose', '-p', projectName(project.dataDir), '-f', project.composeFile, ...args], {
    env: { ...project.tools.all, ...variables },
    timeout: START_TIMEOUT_MS,
    maxBuffer: 16_000_000,
    signal,
  });
}
