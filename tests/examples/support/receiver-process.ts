import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '@indelible/testing';

/** A receiver as a process of its own, with what it wrote on stdout. */
export type ReceiverProcess = { readonly url: string; readonly lines: readonly string[]; stop(): Promise<void> };

export async function startReceiverProcess(
  program: string,
  args: readonly string[],
  environment: { readonly WEBHOOK_SECRET: string; readonly DATABASE: string; readonly PORT: string },
): Promise<ReceiverProcess> {
  const child: ChildProcess = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  const url = await eventually(() => {
    const listening = lines.find((line) => line.startsWith('listening on '));
    if (listening === undefined) throw new Error(`no receiver: ${child.exitCode}`);
    return `${listening.slice('listening on '.length)}/`;
  });
  return {
    url,
    lines,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
