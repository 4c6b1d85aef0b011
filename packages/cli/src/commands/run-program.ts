import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');

/**
 * Runs a service's own program, since nobody else knows its tables, with the same outputs as this command.
 * @returns its exit code; null when a signal ended it
 */
export async function runProgram(
  service: string,
  file: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number | null> {
  const child = spawn(process.execPath, [resolve(root, 'services', service, 'src', file), ...words], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // A Ctrl-C at the terminal reaches the program directly; signals to this process alone are forwarded.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', pass);
  // Wait: the program reports its own orderly end.
  const wait = (): void => {};
  process.on('SIGINT', wait);
  try {
    return await new Promise<number | null>((settle, fail) => {
      child.once('error', fail).once('close', settle);
    });
  } finally {
    process.off('SIGTERM', pass);
    process.off('SIGINT', wait);
  }
}
