import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  createInfrastructure,
  discardInfrastructure,
  type Infrastructure,
  type InfrastructureOptions,
  identifyProcess,
  type Step,
  type UnexpectedExit,
} from '../src/servers.ts';
import { giveOwnPorts } from './own-ports.ts';

type Part = 'postgres' | 'redis' | 'anvil';
const downloadsDir = resolve(import.meta.dirname, '../../../.local/downloads');
const folders: string[] = [];
const started: Infrastructure<Part>[] = [];
let dataDir = '';

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'indelible-lifecycle-'));
  folders.push(dataDir);
  await giveOwnPorts(dataDir);
});

afterAll(async () => {
  await Promise.all(started.map((infrastructure) => infrastructure.stop()));
  await Promise.all(folders.map((folder) => discardInfrastructure(folder)));
}, 60_000);

/** The parts that need no Java. */
async function start(options: Partial<InfrastructureOptions<Part>> = {}): Promise<Infrastructure<Part>> {
  const infrastructure = await createInfrastructure<Part>({
    dataDir,
    downloadsDir,
    addresses: {},
    parts: ['postgres', 'redis', 'anvil'],
    docker: 'never',
    onStep: () => undefined,
    signal: AbortSignal.timeout(100_000),
    ...options,
  });
  started.push(infrastructure);
  return infrastructure;
}

interface Launched {
  readonly launcher: ChildProcess;
  readonly connection: Infrastructure<Part>['connection'];
  readonly processes: Infrastructure<Part>['processes'];
}

async function launch(): Promise<Launched> {
  const script = join(import.meta.dirname, 'start-and-wait.ts');
  const launcher = spawn(process.execPath, [script, dataDir, downloadsDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: launcher.stdout })) {
    return { launcher, ...(JSON.parse(line) as Omit<Launched, 'launcher'>) };
  }
  throw new Error('the launcher ended without a word');
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function alive(processes: Infrastructure['processes']): Promise<string[]> {
  const found = await Promise.all(
    processes.map(async ({ name, pid }) => ((await identifyProcess(pid)) ? name : undefined)),
  );
  return found.filter((name) => name !== undefined).sort();
}

describe('a launcher that was killed', () => {
  it('leaves servers that the next start ends before it starts its own on the same data and addresses', async () => {
    const { launcher, connection, processes } = await launch();
    await query(connection.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    launcher.kill('SIGKILL');
    await new Promise((exited) => launcher.once('exit', exited));
    expect(await alive(processes)).toEqual(['anvil', 'postgres', 'redis']);

    const steps: Step[] = [];
    const next = await start({ onStep: (step) => steps.push(step) });
    expect(await alive(processes)).toEqual([]);
    expect(steps.find(({ name, state }) => name === 'leftovers' && state === 'done')?.detail).toMatch(
      /postgres.*ended/,
    );
    expect(next.connection).toEqual(connection);
    expect(await query(next.connection.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await next.stop();
  }, 120_000);
});

describe('createInfrastructure', () => {
  it('refuses a data folder whose infrastructure is running, and leaves that one alone', async () => {
    const first = await start({ parts: ['redis'] });
    await expect(start({ parts: ['redis'] })).rejects.toThrow(`Process ${process.pid} is already running`);
    expect(await alive(first.processes)).toEqual(['redis']);
    await first.stop();
    expect(await alive(first.processes)).toEqual([]);
  }, 60_000);

  it('uses an address that is given, and never stops what it did not start', async () => {
    const first = await start({ parts: ['redis'] });
    const folder = await mkdtemp(join(tmpdir(), 'indelible-lifecycle-'));
    folders.push(folder);
    const second = await start({
      dataDir: folder,
      parts: ['redis'],
      addresses: { redisUrl: first.connection.redisUrl },
    });
    expect(second.connection.redisUrl).toBe(first.connection.redisUrl);
    expect(second.providedBy).toEqual({ redis: 'given' });
    await second.stop();
    expect(await alive(first.processes)).toEqual(['redis']);
    await first.stop();
  }, 60_000);

  it('leaves no process and no lock when a start is given up half-way', async () => {
    const giveUp = new AbortController();
    const states: string[] = [];
    const onStep = (step: Step) => {
      states.push(`${step.name} ${step.state}`);
      if (step.name === 'redis' && step.state === 'done') giveUp.abort(new Error('given up'));
    };
    await expect(start({ signal: giveUp.signal, onStep })).rejects.toThrow('given up');
    expect(states).toContain('redis done');
    const again = await start({ parts: ['redis'] });
    await again.stop();
  }, 60_000);

  it('reports a server that ended by itself, with the end of its log', async () => {
    const infrastructure = await start({ parts: ['redis'] });
    const exit = new Promise<UnexpectedExit>((told) => infrastructure.onUnexpectedExit(told));
    process.kill(infrastructure.processes[0]?.pid ?? 0, 'SIGKILL');
    expect(await exit).toMatchObject({
      part: 'redis',
      signal: 'SIGKILL',
      lastLines: expect.arrayContaining([expect.any(String)]),
    });
    await infrastructure.stop();
  }, 60_000);

  it('says in one line what is missing and what to do', async () => {
    const tools = { path: '/nonexistent', javaHome: undefined, all: {} };
    await expect(start({ tools, parts: ['redis'], downloadsDir: join(dataDir, 'empty') })).rejects.toMatchObject({
      message: expect.stringContaining('Maven is not installed'),
      remedy: expect.stringContaining('install Maven'),
    });
  }, 60_000);

  it('says that it uses other data than the start before, when a Docker engine has come or gone', async () => {
    const steps: Step[] = [];
    const onStep = (step: Step) => void (step.state === 'done' && steps.push(step));
    await writeFile(join(dataDir, 'data-set'), 'docker');
    await (await start({ parts: ['redis'], onStep })).stop();
    expect(steps.map(({ name, detail }) => [name, detail])).toContainEqual([
      'other data',
      expect.stringContaining('no Docker engine answers now'),
    ]);
    steps.length = 0;
    await (await start({ parts: ['redis'], onStep })).stop();
    expect(steps.map(({ name }) => name)).toEqual(['redis']);
  }, 60_000);

  it('keeps what clients have sent from other users of the machine', async () => {
    const infrastructure = await start({ parts: ['redis', 'anvil'] });
    for (const folder of ['redis', 'anvil'])
      expect([folder, (await stat(join(dataDir, folder))).mode & 0o777]).toEqual([folder, 0o700]);
    const answer = await fetch(infrastructure.connection.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://elsewhere.example' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    });
    // so that no page in a browser can read, or after a preflight send, anything
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    await answer.arrayBuffer();
  }, 60_000);
});
