import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '@indelible/launcher/servers';
import { describeMachine } from './measuring/machine.ts';
import { readOptions } from './options.ts';
import { writePages } from './reporting/pages.ts';
import { createProgress } from './reporting/progress.ts';
import { environmentLine, writeResult } from './reporting/results.ts';
import { isOverBound, tableOf } from './reporting/table.ts';
import type { Scenario } from './scenario.ts';
import { hotPath, scenarios } from './scenarios.ts';
import { type System, type SystemOptions, startSystem } from './system/start-system.ts';

const { names, quick, large, page, hold } = readOptions(
  process.argv.slice(2),
  scenarios.map(({ name }) => name),
  hotPath,
);
const progress = createProgress(process.stderr);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const)
  process.on(signal, () => stopping.abort(new Error('stopped')));
// Bootstrap's channel says that it was killed; it must not keep us.
process.channel?.unref();

/** Runs one scenario, prints and saves its result; false when it failed or exceeded an enforced bound. */
async function measure({ name, about, run }: Scenario): Promise<boolean> {
  const systems: System[] = [];
  const begin = async (options?: SystemOptions): Promise<System> => {
    const system = await startSystem({ ...options, progress: progress.say, signal: stopping.signal });
    systems.push(system);
    return system;
  };
  try {
    const [machine, began] = [await describeMachine(), performance.now()];
    process.stdout.write(`\n${name}: ${about}\n${environmentLine({ machine })}\n`);
    const { signal } = stopping;
    const rows = await run({ quick, large, progress: progress.say, startSystem: begin, signal });
    progress.clear();
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stdout.write(`${tableOf(name, rows)}\nit took ${seconds} s\n`);
    if (quick) process.stdout.write('--quick: it runs; the figures mean nothing\n');
    else await writeResult({ scenario: name, machine, seconds, rows });
    const over = hold && !quick ? rows.filter(isOverBound) : [];
    for (const { what } of over) process.stderr.write(`${name}: ${what} is over its bound\n`);
    return over.length === 0;
  } catch (error) {
    progress.clear();
    process.stderr.write(`${name} could not run: ${describeError(error).join('\n')}\n`);
    const log = systems.flatMap((system) => system.log());
    // Kept until the scenario fails again.
    const path = join('.local', `bench-${name}.log`);
    if (log.length > 0) await writeFile(path, `${log.join('\n')}\n`);
    if (log.length > 0) process.stderr.write(`what the services said: ${path}\n`);
    return false;
  } finally {
    for (const system of systems) await system.stop();
    progress.clear();
  }
}

if (page) for (const path of await writePages()) process.stdout.write(`${path}\n`);
for (const scenario of page ? [] : scenarios) {
  if (!names.includes(scenario.name) || stopping.signal.aborted) continue;
  if (!(await measure(scenario))) process.exitCode = 1;
}
