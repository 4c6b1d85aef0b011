import { configurationExitCode } from '../exit-codes.ts';
import { inspectSettings } from './read-settings.ts';
import type { Setting } from './setting.ts';

/**
 * The entry of a service's `config.ts` as a program, for the command `indelible config`: `describe` prints its
 * variables as JSON; `check` reads them from the environment, and prints the effective values, without secrets, or all
 * faults.
 */
export function settingsMain(settings: Setting<unknown>, words: readonly string[]): void {
  if (words[0] === 'describe') {
    print(settings.variables);
    return;
  }
  const { faults, shown } = inspectSettings(settings, process.env);
  if (faults.length > 0) process.exitCode = configurationExitCode;
  print(faults.length > 0 ? { faults } : { settings: shown });
}

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
