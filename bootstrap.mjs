/**
 * The way into the workspace from nothing but the machine's Node (20 or later) and npm: provides the pnpm that package.json pins,
 * installs the packages if they are not those of the lockfile, and runs a command on the workspace's own Node.
 *
 * What it says goes to stderr: stdout belongs to the command. Nothing is said if nothing is to do.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const ROOT = import.meta.dirname ?? resolve(new URL('.', import.meta.url).pathname);
const LOCAL = join(ROOT, '.local');
const COMMANDS = {
  start: 'packages/launcher/src/main.ts',
  test: 'packages/testing/src/main.ts',
  'test:faults': 'packages/testing/src/main-faults.ts',
  'test:python': 'packages/testing/src/main-python.ts',
  'test:alerts': 'packages/testing/src/main-alerts.ts',
  'test:chart': 'packages/testing/src/main-chart.ts',
  'test:traces': 'packages/testing/src/main-traces.ts',
  'test:image': 'packages/testing/src/main-image.ts',
  'test:compose': 'packages/testing/src/main-compose.ts',
  'test:upgrade': 'packages/testing/src/main-upgrade.ts',
  'test:kubernetes': 'packages/testing/src/main-kubernetes.ts',
  indelible: 'packages/cli/src/main.ts',
  verify: 'packages/testing/src/verify.ts',
  'supply-chain': 'packages/testing/src/supply-chain/main.ts',
  bench: 'bench/src/main.ts',
};
const LOCK_TIMEOUT_MS = 15 * 60_000;

/** A failure with its remedy, told in one line. */
class Failure extends Error {}

async function main() {
  const [command = '', ...args] = process.argv.slice(2);
  const entry = COMMANDS[command];
  if (entry === undefined)
    throw new Failure(`usage: node bootstrap.mjs ${Object.keys(COMMANDS).join('|')} [arguments]`);
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20)
    throw new Failure(`Node ${process.versions.node} is too old: install Node 20 or later and start again.`);
  const stamp = await fingerprint();
  if (!(await isInstalled(stamp))) {
    await withLock(async () => {
      if (!(await isInstalled(stamp))) await install(stamp);
    });
  }
  await run(join(ROOT, 'node_modules', 'node', 'bin', 'node'), [join(ROOT, entry), ...args]);
}

/** Whatever decides what `node_modules` must hold. */
async function fingerprint() {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', 'bench/package.json'];
  for (const group of ['packages', 'services']) {
    const names = await readdir(join(ROOT, group)).catch(() => []);
    files.push(...names.sort().map((name) => join(group, name, 'package.json')));
  }
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of files) {
    hash.update(`${file}\n`).update(await readFile(join(ROOT, file)).catch(() => ''));
  }
  return hash.digest('hex');
}

async function isInstalled(stamp) {
  const known = await readFile(join(LOCAL, 'installed'), 'utf8').catch(() => '');
  return known === stamp && existsSync(join(ROOT, 'node_modules', 'node', 'bin', 'node'));
}

async function install(stamp) {
  const pnpm = await providePnpm();
  await step('packages', 'the packages could not be installed: mend what the lines above say and start again', () =>
    // CI: pnpm asks nothing, whether there is a terminal or not
    capture(process.execPath, [pnpm, 'install', '--frozen-lockfile'], { ...process.env, CI: 'true' }),
  );
  await writeFile(join(LOCAL, 'installed'), stamp);
}

/** The path of the pinned pnpm's entry point. It appears under its version only when it is whole. */
async function providePnpm() {
  const { packageManager } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const version = /^pnpm@([^+]+)/.exec(packageManager)?.[1];
  if (version === undefined) throw new Failure('package.json pins no pnpm in "packageManager".');
  const folder = join(LOCAL, 'tools', `pnpm-${version}`);
  const entry = join(folder, 'node_modules', 'pnpm', 'bin', 'pnpm.mjs');
  if (existsSync(entry)) return entry;
  await mkdir(join(LOCAL, 'tools'), { recursive: true });
  const part = await mkdtemp(join(LOCAL, 'tools', '.installing-'));
  try {
    await step(
      `pnpm ${version}`,
      'npm could not install it: check that npm is installed and reaches its registry (`npm ping`), then start again',
      () => npm(['install', `pnpm@${version}`, '--prefix', part, '--no-audit', '--no-fund', '--loglevel=error']),
    );
    await rm(folder, { recursive: true, force: true });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return entry;
}

/** The npm that runs us, else the one on PATH. */
function npm(args) {
  const own = process.env.npm_execpath;
  if (own?.endsWith('npm-cli.js')) return capture(process.execPath, [own, ...args], process.env);
  return capture(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, process.env);
}

/** One line with the seconds when it is done; what the tool said, and the remedy, when it failed. */
async function step(name, remedy, work) {
  const began = performance.now();
  process.stderr.write(`… ${name}\n`);
  try {
    await work();
  } catch (error) {
    throw new Failure(`${error.message}\n✗ ${name}: ${remedy}.`);
  }
  process.stderr.write(`✓ ${name.padEnd(12)} ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s\n`);
}

/** Runs a tool in the workspace; rejects with the last lines of what it said. */
function capture(command, args, env) {
  return new Promise((done, fail) => {
    let output = '';
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const take = (chunk) => {
      output = (output + chunk).slice(-8_000);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', fail);
    child.once('close', (code, signal) => {
      if (code === 0) return done();
      fail(new Error(output.trimEnd().split('\n').slice(-20).join('\n') || `it ended with ${code ?? signal}`));
    });
  });
}

/** Lets one process install at a time; a lock whose process has died is removed. */
async function withLock(work) {
  const file = join(LOCAL, 'bootstrap.lock');
  await mkdir(LOCAL, { recursive: true });
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (let told = false; ; await delay(200)) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner > 0 && !isRunning(owner)) await rm(file, { force: true });
    else if (!told) process.stderr.write(`… process ${owner || '(just starting)'} is installing; waiting for it\n`);
    told = true;
    if (Date.now() > deadline)
      throw new Failure(`${file} is held for too long: remove it if nothing is installing, and start again.`);
  }
  try {
    await work();
  } finally {
    await rm(file, { force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Runs the command in our place: its streams are ours, a signal to us is one to it, and we end as it does. It has a channel to us
 * whose closing tells it that we were killed.
 */
async function run(command, args) {
  // What Node has compiled it finds again at the next start, which then takes half as long.
  const env = { NODE_COMPILE_CACHE: join(LOCAL, 'compile-cache'), ...process.env };
  const child = spawn(command, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  child.channel?.unref();
  const forward = (signal) => {
    // the terminal has sent these to the whole foreground group, the child included
    if (signal !== 'SIGTERM' && isInForeground()) return;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  // npm runs us through a shell that may die of a signal without passing it on
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 1_000);
  if (process.env.npm_lifecycle_event === undefined) clearInterval(watch);
  watch.unref();
  const [code, signal] = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (...end) => done(end));
  });
  clearInterval(watch);
  for (const name of signals) process.off(name, forward);
  if (signal !== null) process.kill(process.pid, signal);
  else process.exitCode = code;
}

/** Whether a terminal's Ctrl-C reaches our process group: on Linux known exactly, elsewhere taken from the streams. */
function isInForeground() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , terminal, foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return terminal !== '0' && group === foreground;
  } catch {
    return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  }
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Failure ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
