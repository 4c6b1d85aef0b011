import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../src/index.ts';

/** Stands for the pinned pnpm: notes that it ran, and puts a Node where the workspace's is. */
const PNPM = `
import { appendFileSync, mkdirSync, symlinkSync } from 'node:fs';
appendFileSync('runs', process.argv.slice(2).join(' ') + ' CI=' + process.env.CI + '\\n');
console.log('noise of the installation');
if (process.env.PNPM_FAILS) { console.error('no such package'); process.exit(1); }
mkdirSync('node_modules/node/bin', { recursive: true });
try { symlinkSync(process.execPath, 'node_modules/node/bin/node'); } catch {}
`;
/** Stands for the command: says on stdout what it got once it handles signals, and does what its first argument says. */
const COMMAND = `
const [action, ...args] = process.argv.slice(2);
if (action === 'exit') process.exitCode = Number(args[0]);
else {
  process.on('SIGTERM', () => { console.log('SIGTERM'); if (action === 'obey') process.exit(7); });
  process.on('SIGINT', () => { console.log('SIGINT'); process.exit(8); });
  process.on('disconnect', () => process.exit(9));
  setInterval(() => {}, 1000);
}
console.log(JSON.stringify(args)); // from here on a signal may come
if (action === 'die') process.kill(process.pid, 'SIGKILL');
`;

const folders: string[] = [];
let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'indelible-bootstrap-'));
  folders.push(root);
  const pnpm = join(root, '.local/tools/pnpm-1.2.3/node_modules/pnpm/bin');
  const launcher = join(root, 'packages/launcher/src');
  await mkdir(pnpm, { recursive: true });
  await mkdir(launcher, { recursive: true });
  await copyFile(resolve(import.meta.dirname, '../../../bootstrap.mjs'), join(root, 'bootstrap.mjs'));
  await writeFile(join(root, 'package.json'), '{"type":"module","packageManager":"pnpm@1.2.3+sha512.abc"}');
  await writeFile(join(root, 'packages/launcher/package.json'), '{"type":"module"}');
  await writeFile(join(root, 'pnpm-lock.yaml'), 'lock');
  await writeFile(join(pnpm, 'pnpm.mjs'), PNPM);
  await writeFile(join(launcher, 'main.ts'), COMMAND);
});

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

interface Run {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

function bootstrap(args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [join(root, 'bootstrap.mjs'), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) =>
    child.once('close', (code, signal) => done({ code, signal })),
  );
  return { child, output, ended };
}

const installations = async () => (await readFile(join(root, 'runs'), 'utf8')).trim().split('\n');

describe('bootstrap', () => {
  it('installs from the lockfile without asking, then gives stdout, arguments and exit code to the command', async () => {
    const { output, ended } = bootstrap(['start', 'exit', '5', '--fresh']);
    expect(await ended).toEqual({ code: 5, signal: null });
    expect(output.stdout).toBe('["5","--fresh"]\n');
    expect(output.stderr).toMatch(/^… packages\n✓ packages +\d+\.\d s\n$/);
    expect(await installations()).toEqual(['install --frozen-lockfile CI=true']);
  });

  it('says nothing when nothing is to do, and installs again when the lockfile has changed', async () => {
    await bootstrap(['start', 'exit', '0']).ended;
    const second = bootstrap(['start', 'exit', '0']);
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.output.stderr).toBe('');
    expect(await installations()).toHaveLength(1);
    await appendFile(join(root, 'pnpm-lock.yaml'), 'more');
    await bootstrap(['start', 'exit', '0']).ended;
    expect(await installations()).toHaveLength(2);
  });

  it('installs once when two start at the same moment', async () => {
    const runs = [bootstrap(['start', 'exit', '0']), bootstrap(['start', 'exit', '0'])];
    for (const run of runs) expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(await installations()).toHaveLength(1);
  });

  it('takes over the lock of one that was killed', async () => {
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((exited) => dead.once('exit', exited));
    await writeFile(join(root, '.local/bootstrap.lock'), String(dead.pid));
    expect(await bootstrap(['start', 'exit', '0']).ended).toEqual({ code: 0, signal: null });
  });

  it('passes SIGTERM and SIGINT on and ends as the command does', async () => {
    for (const [signal, code] of [
      ['SIGTERM', 7],
      ['SIGINT', 8],
    ] as const) {
      const { child, output, ended } = bootstrap(['start', 'obey']);
      await eventually(() => expect(output.stdout).toBe('[]\n'));
      child.kill(signal);
      expect(await ended).toEqual({ code, signal: null });
      expect(output.stdout).toBe(`[]\n${signal}\n`);
    }
    expect(await bootstrap(['start', 'die']).ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('lets the command know when it is killed itself', async () => {
    const { child, output, ended } = bootstrap(['start', 'stay']);
    await eventually(() => expect(output.stdout).toBe('[]\n'));
    child.kill('SIGKILL');
    // the streams close when the command, which has them too, has ended
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('says in one line what to do when the installation fails, and tries again the next time', async () => {
    const failing = bootstrap(['start', 'exit', '0'], { PNPM_FAILS: '1' });
    expect(await failing.ended).toEqual({ code: 1, signal: null });
    expect(failing.output.stdout).toBe('');
    expect(failing.output.stderr).toContain('no such package\n✗ packages: the packages could not be installed');
    expect(await bootstrap(['start', 'exit', '0']).ended).toEqual({ code: 0, signal: null });
  });

  it('names its commands when it is called with another', async () => {
    const { output, ended } = bootstrap(['begin']);
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(output.stderr).toMatch(/^usage: node bootstrap\.mjs start\|test\|\S*verify\|\S*bench \[arguments\]\n$/);
  });
});
