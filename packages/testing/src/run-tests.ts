import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '@indelible/launcher/servers';
import { removeAbandoned } from './abandoned.ts';
import { readServed, TEST_FOLDER, TEST_VARIABLES, type TestAddresses, WORKSPACE } from './environment.ts';
import { type SharedServer, sharedServers } from './needed-servers.ts';
import { provideServers } from './provide-servers.ts';
import { stopSignal } from './stop-signal.ts';
import { type Counts, type JestResult, slowestFiles, sumCounts, summarize } from './summary.ts';

/**
 * Provides the servers (by default all) once, runs jest once with each of these lists of arguments, and further variables, stops everything, and ends
 * with a line of the counts of all runs. Returns the exit code.
 */
export async function runTests(
  runs: readonly (readonly string[])[],
  signal: AbortSignal,
  variables: Readonly<Record<string, string>> = {},
  parts: readonly SharedServer[] = sharedServers,
): Promise<number> {
  await mkdir(TEST_FOLDER, { recursive: true });
  await removeAbandoned();
  const served = readServed();
  if (served) process.stderr.write('✓ servers of `serve.ts`\n');
  const servers = served ? undefined : await provideServers(`run-${process.pid}`, signal, parts);
  const gone = new AbortController();
  servers?.onUnexpectedExit(({ part, lastLines }) => {
    process.stderr.write(`${part} ended in the middle of the tests:\n${lastLines.join('\n')}\n`);
    gone.abort();
  });
  try {
    const addresses = served ?? (servers as NonNullable<typeof servers>).addresses;
    const environment = { ...variables, ...addressVariables(addresses) };
    const stops = [signal, gone.signal];
    const counts: Counts[] = [];
    for (const args of runs) counts.push(await countTests(args, environment, stops));
    await servers?.stop();
    const { passed, failed } = sumCounts(counts);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return failed === 0 ? 0 : 1;
  } finally {
    await servers?.stop();
    await removeAbandoned();
  }
}

/** Runs jest once, for tests that bring all they need, and ends with a line of the counts. `within`: the words before its command. */
export async function runTestsWithoutServers(
  args: readonly string[],
  signal: AbortSignal,
  options: { readonly variables: Readonly<Record<string, string>>; readonly within: readonly string[] },
): Promise<number> {
  await mkdir(TEST_FOLDER, { recursive: true });
  const { passed, failed } = await countTests(args, options.variables, [signal], options.within);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** One run of jest, counted from the report that it writes. */
async function countTests(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stops: readonly AbortSignal[],
  within: readonly string[] = [],
): Promise<Counts> {
  const resultFile = join(TEST_FOLDER, `result-${process.pid}.json`);
  try {
    const code = await runJest([...args, '--json', `--outputFile=${resultFile}`], environment, stops, within);
    const result = JSON.parse(await readFile(resultFile, 'utf8').catch(() => 'null')) as JestResult | null;
    if (result !== null && result.testResults.length > manyFiles)
      process.stderr.write(`the slowest files:\n${slowestFiles(result, WORKSPACE, 10).join('\n')}\n`);
    return summarize(result, code);
  } finally {
    await rm(resultFile, { force: true });
  }
}

/** Runs jest to its end, or until a signal aborts. Its JSON goes to a file, its report to our stderr. */
async function runJest(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stops: readonly AbortSignal[],
  within: readonly string[],
): Promise<number | null> {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const [command = process.execPath, ...words] = [...within, process.execPath, ...flags, JEST, '--ci', ...args];
  const child = spawn(command, words, {
    cwd: WORKSPACE,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = () => child.kill('SIGTERM');
  for (const signal of stops) {
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}

const addressVariables = (addresses: Partial<TestAddresses>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(TEST_VARIABLES).flatMap(([name, variable]) => {
      const address = addresses[name as keyof TestAddresses];
      return address === undefined ? [] : [[variable, address]];
    }),
  );

/** Runs of more files report the slowest ones. */
const manyFiles = 20;
const JEST = join(WORKSPACE, 'node_modules', 'jest', 'bin', 'jest.js');

/** The entry point: runs the tests and exits as they do, also if they cannot run. */
export async function testMain(run: (args: readonly string[], signal: AbortSignal) => Promise<number>): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), stopSignal()).catch((error: unknown) => {
    process.stderr.write(`${describeError(error).join('\n')}\n`);
    process.stdout.write('0 passed, 1 failed\n');
    return 1;
  });
}
