import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { lockDirectory, parseIdentity } from './owner-lock.ts';
import { identifyProcess } from './process-identity.ts';
import { type ServerSpec, Supervisor } from './supervisor.ts';

const folder = await mkdtemp(join(tmpdir(), 'indelible-supervisor-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A server written in one line; it prints `up` once ready. */
function nodeServer(name: string, code: string, stopTimeoutMs = 5_000): ServerSpec {
  const args = ['-e', `${code}; setInterval(() => {}, 1000); console.log('up')`];
  return { name, command: process.execPath, args, cwd: folder, env: {}, stopSignal: 'SIGTERM', stopTimeoutMs };
}

async function untilUp(supervisor: Supervisor, name: string): Promise<void> {
  while (!(await readFile(supervisor.logFile(name), 'utf8')).includes('up')) await new Promise(setImmediate);
}

describe('Supervisor', () => {
  it('stops a server by its signal and lets it end in order', async () => {
    const supervisor = new Supervisor(folder);
    const server = await supervisor.start(
      nodeServer('polite', "process.on('SIGTERM', () => { console.log('bye'); process.exit(3) })"),
    );
    await untilUp(supervisor, 'polite');
    await server.stop();
    expect(await server.exited).toEqual({ code: 3, signal: null });
    expect(await server.lastLines()).toEqual(['up', 'bye']);
  });

  it('kills a server that does not end in its time, with the children of its group', async () => {
    const supervisor = new Supervisor(folder);
    const child =
      "const c = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); console.log(c.pid)";
    const server = await supervisor.start(nodeServer('stubborn', `${child}; process.on('SIGTERM', () => {})`, 100));
    await untilUp(supervisor, 'stubborn');
    const childPid = Number((await server.lastLines())[0]);
    expect(await identifyProcess(childPid)).toBeDefined();
    await server.stop();
    expect((await server.exited).signal).toBe('SIGKILL');
    while (await identifyProcess(childPid)) await new Promise(setImmediate);
  });

  it('rejects the start of a program that is not there', async () => {
    const spec = { ...nodeServer('missing', ''), command: join(folder, 'no-such-program') };
    await expect(new Supervisor(folder).start(spec)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('ends what an earlier run left behind, and no process that only has its number', async () => {
    const supervisor = new Supervisor(folder);
    const left = await supervisor.start(nodeServer('left', ''));
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await new Promise((spawned) => stranger.once('spawn', spawned));
    const file = join(folder, 'pids', 'stranger.json');
    await mkdir(join(folder, 'pids'), { recursive: true });
    await writeFile(
      file,
      JSON.stringify({ pid: stranger.pid, startedAt: 'long ago', stopSignal: 'SIGTERM', stopTimeoutMs: 1 }),
    );
    expect(await new Supervisor(folder).endLeftovers()).toEqual(['left']);
    await left.exited;
    expect(await identifyProcess(stranger.pid ?? 0)).toBeDefined();
    expect(await new Supervisor(folder).endLeftovers()).toEqual([]);
    stranger.kill('SIGKILL');
  });
});

describe('lockDirectory', () => {
  it('refuses a folder that a running process holds, and takes one over from the dead', async () => {
    const held = join(folder, 'held');
    const lock = await lockDirectory(held);
    await expect(lockDirectory(held)).rejects.toThrow(`Process ${process.pid} is already running`);
    await lock.release();
    await writeFile(join(held, 'owner.json'), JSON.stringify({ pid: process.pid, startedAt: 'before' }));
    await (await lockDirectory(held)).release();
  });
});

describe('parseIdentity', () => {
  it('accepts nothing but a process: never number 1, 0 or a group', () => {
    expect(parseIdentity('{"pid":42,"startedAt":"x"}')).toEqual({ pid: 42, startedAt: 'x' });
    for (const text of [
      '',
      '{',
      'null',
      '{"pid":42}',
      ...[1, 0, -42, 1.5].map((pid) => `{"pid":${pid},"startedAt":"x"}`),
    ]) {
      expect(parseIdentity(text)).toBeUndefined();
    }
  });
});
