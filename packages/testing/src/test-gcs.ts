import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  anyFreePort,
  describeError,
  lockDirectory,
  readToolEnvironment,
  Supervisor,
  serverEnvironment,
  waitUntil,
} from '@indelible/launcher/servers';
import { removeAbandoned } from './abandoned.ts';
import { TEST_FOLDER } from './environment.ts';
import { startGcsEmulator } from './gcs-emulator/server.ts';
import { startGcsFront } from './gcs-front.ts';
import { GCS_SERVER_VERSION, type GcsProvider, provideGcsServer } from './gcs-program.ts';

/** Emulated Google Cloud Storage of one test file; its content is in memory and lost after `stop`. */
export interface TestGcs {
  /** For the client's `apiEndpoint`. */
  readonly apiEndpoint: string;
  /** Creates an empty bucket; returns its unique name. */
  createBucket(): Promise<string>;
  stop(): Promise<void>;
}

/** Time limit of a first call, which builds fake-gcs-server: for `beforeAll`. */
export const TEST_GCS_TIMEOUT_MS = 10 * 60_000;

/**
 * Starts fake-gcs-server; `stop` it in afterAll. The first call on a machine builds it. Without Go and a Docker engine
 * it is our own emulator, and a line on stderr says so. Throws an error that says what to do. `provide` chooses the
 * emulator; default: what this machine has.
 */
export async function testGcs(
  provide: () => Promise<GcsProvider> = () => provideGcsServer(readToolEnvironment()),
): Promise<TestGcs> {
  await removeAbandoned();
  const provider = await provide().catch((error: unknown) => {
    // jest shows only the message: it must say what to do
    throw new Error(describeError(error).join('\n'), { cause: error });
  });
  if (provider.kind !== 'emulator') return await startFakeGcsServer(provider);
  process.stderr.write(`${provider.note}\n`);
  return await testGcsEmulator();
}

/** Our own emulator, even if fake-gcs-server is available: tests on both keep the two equal. */
export async function testGcsEmulator(): Promise<TestGcs> {
  const { apiEndpoint, stop } = await startGcsEmulator();
  return { apiEndpoint, createBucket: () => createBucket(apiEndpoint), stop };
}

type ServerProvider = Exclude<GcsProvider, { kind: 'emulator' }>;

async function startFakeGcsServer(provider: ServerProvider): Promise<TestGcs> {
  const front = await startGcsFront();
  const { apiEndpoint } = front;
  try {
    const server = await startServer(provider, apiEndpoint);
    front.passTo(server.port);
    const stop = async (): Promise<void> => {
      await front.stop();
      await server.stop();
    };
    return { apiEndpoint, createBucket: () => createBucket(apiEndpoint), stop };
  } catch (error) {
    await front.stop();
    throw error;
  }
}

/** If the port is taken before the listen, another is tried. */
async function startServer(
  provider: ServerProvider,
  externalUrl: string,
): Promise<{ port: number; stop: () => Promise<void> }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await anyFreePort();
    const { stop, ended } = await start(provider, port, externalUrl);
    try {
      const check = (signal: AbortSignal) => answers(`http://127.0.0.1:${port}`, signal);
      await waitUntil(check, { timeoutMs: 20_000, intervalMs: 25, signal: ended });
      return { port, stop };
    } catch (error) {
      await stop();
      if (attempt === 3) throw error;
    }
  }
}

/** Addresses of upload sessions begin with the external URL. */
const settings = (externalUrl: string, listenOn: { host: string; port: number }): string[] => [
  ...['-scheme', 'http', '-backend', 'memory', '-log-level', 'error'],
  ...['-host', listenOn.host, '-port', String(listenOn.port)],
  ...['-external-url', externalUrl, '-public-host', new URL(externalUrl).host],
];

async function start(
  provider: ServerProvider,
  port: number,
  externalUrl: string,
): Promise<{ stop: () => Promise<void>; ended: AbortSignal }> {
  const ended = new AbortController();
  if (provider.kind === 'docker') {
    // Some hundred modules: every test file imports this one, and few need them.
    const { GenericContainer, Wait } = await import('testcontainers');
    const container = await new GenericContainer(`fsouza/fake-gcs-server:${GCS_SERVER_VERSION}`)
      .withCommand(settings(externalUrl, { host: '0.0.0.0', port: 4443 }))
      .withExposedPorts({ container: 4443, host: port })
      .withWaitStrategy(Wait.forListeningPorts())
      .withStartupTimeout(280_000)
      .start();
    return { stop: async () => void (await container.stop()), ended: ended.signal };
  }
  const dataDir = join(TEST_FOLDER, `gcs-${process.pid}-${randomBytes(4).toString('hex')}`);
  await lockDirectory(dataDir);
  const server = await new Supervisor(dataDir).start({
    name: 'gcs',
    command: provider.program,
    args: settings(externalUrl, { host: '127.0.0.1', port }),
    cwd: dataDir,
    env: serverEnvironment(readToolEnvironment()),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
  });
  void server.exited.then(async () => {
    const lines = await server.lastLines().catch(() => []);
    ended.abort(new Error(`fake-gcs-server ended by itself:\n${lines.join('\n')}`));
  });
  return {
    ended: ended.signal,
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function answers(apiEndpoint: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${apiEndpoint}/_internal/healthcheck`, { signal });
  if (!response.ok) throw new Error(`fake-gcs-server answers ${response.status}`);
  await response.body?.cancel();
}

async function createBucket(apiEndpoint: string): Promise<string> {
  const name = `test-${randomBytes(6).toString('hex')}`;
  const response = await fetch(`${apiEndpoint}/storage/v1/b?project=emulator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the emulator made no bucket: ${response.status}`);
  await response.body?.cancel();
  return name;
}
