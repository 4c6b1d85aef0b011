import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '@indelible/local-infrastructure';
import { writeReport } from './charting/write-report.ts';
import { describeMachine } from './measuring/machine.ts';
import { readOptions } from './options.ts';
import { environmentLine } from './reporting/environment-line.ts';
import { createProgress } from './reporting/progress.ts';
import { writeResult } from './reporting/result-file.ts';
import { isOverBound, tableOf } from './reporting/table.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type System, type SystemOptions, startSystem } from './system/start-system.ts';

const { names, quick, large, charts, hold, enduranceSeconds } = readOptions(
  process.argv.slice(2),
  scenarios.map(({ name }) => name),
);
const progress = createProgress(process.stderr);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const)
  process.on(signal, () => stopping.abort(new Error('stopped')));
// Bootstrap's channel tells that it was killed; it must not keep us.
process.channel?.unref();

/** Runs one scenario, prints and keeps its result; false when it could not be run, or does not keep a bound that is held. */
async function measure(scenario: Scenario): Promise<boolean> {
  const systems: System[] = [];
  const begin = async (options?: SystemOptions): Promise<System> => {
    const system = await startSystem({ ...options, progress: progress.say, signal: stopping.signal });
    systems.push(system);
    return system;
  };
  try {
    const machine = await describeMachine();
    process.stdout.write(`\n${scenario.name}: ${scenario.about}\n${environmentLine(machine)}\n`);
    const rows = await scenario.run({
      quick,
      large,
      enduranceSeconds,
      progress: progress.say,
      startSystem: begin,
      signal: stopping.signal,
    });
    progress.clear();
    process.stdout.write(`${tableOf(rows)}\n`);
    if (quick) process.stdout.write('--quick: it runs; the figures mean nothing\n');
    else await writeResult({ scenario: scenario.name, machine, rows });
    const over = hold && !quick ? rows.filter(isOverBound) : [];
    for (const { what } of over) process.stderr.write(`${scenario.name}: ${what} is over its bound\n`);
    return over.length === 0;
  } catch (error) {
    progress.clear();
    process.stderr.write(`${scenario.name} could not run: ${describeError(error).join('\n')}\n`);
    for (const system of systems)
      process.stderr.write(`what the services said: ${await keepLog(scenario.name, system)}\n`);
    return false;
  } finally {
    for (const system of systems) await system.stop();
    progress.clear();
  }
}

/** @returns where it is kept until the scenario fails again */
async function keepLog(name: string, system: System): Promise<string> {
  const path = join('.local', `bench-${name}.log`);
  await writeFile(path, `${system.log().join('\n')}\n`);
  return path;
}

if (charts) for (const path of await writeReport()) process.stdout.write(`${path}\n`);
for (const scenario of charts ? [] : scenarios) {
  if (!names.includes(scenario.name) || stopping.signal.aborted) continue;
  if (!(await measure(scenario))) process.exitCode = 1;
}
