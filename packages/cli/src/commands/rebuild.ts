import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';

/** Which service keeps a projection: its own program rebuilds it, since nobody else knows its tables. */
const services = {
  'gateway.stamps': 'gateway',
  'gateway.collections': 'gateway',
  'verification.commitments': 'verification',
  'verification.collections': 'verification',
} as const;
type Projection = keyof typeof services;

const root = resolve(import.meta.dirname, '../../../..');
const programOf = (projection: Projection): string => resolve(root, 'services', services[projection], 'src/rebuild.ts');

type RebuildOptions = GlobalOptions & { readonly from?: 'topics' | 'chain'; readonly allowFewer?: true };

/** A rebuild that was not done; its program has told why. */
class RebuildFailedError extends Error {
  override readonly name = 'RebuildFailedError';
  readonly retryable = false;
}

/** `rebuild …` */
export function addRebuildCommand(program: Command, context: CommandContext): void {
  program
    .command('rebuild')
    .description('grows a read model anew while the old one goes on answering, then swaps them')
    .addArgument(new Argument('<projection>', 'the read model').choices(Object.keys(services)))
    .addOption(
      new Option('--from <source>', 'topics (default), or chain: verification.commitments without any topic').choices([
        'topics',
        'chain',
      ]),
    )
    .option('--allow-fewer', 'swap even though rows would be gone that nothing tells of')
    .action((projection: Projection, options: RebuildOptions, command: Command) => {
      if (options.from === 'chain' && projection !== 'verification.commitments')
        command.error(`error: ${projection} cannot be made from the chain: it holds what the chain does not tell`);
      return rebuild(context, projection, command.optsWithGlobals<RebuildOptions>());
    });
}

async function rebuild(context: CommandContext, projection: Projection, options: RebuildOptions): Promise<void> {
  const words = [
    projection,
    ...(options.from === undefined ? [] : ['--from', options.from]),
    ...(options.allowFewer === true ? ['--allow-fewer'] : []),
    ...(options.json === true ? ['--json'] : []),
  ];
  const child = spawn(process.execPath, [programOf(projection), ...words], {
    env: context.config.rebuilding(options.from ?? 'topics'),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // A Ctrl-C at the terminal reaches the program by itself; what is sent to this process alone is passed on.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', pass);
  // The program ends in order, and tells so; this one waits for it.
  const wait = (): void => {};
  process.on('SIGINT', wait);
  try {
    const code = await new Promise<number | null>((settle, fail) => {
      child.once('error', fail).once('close', settle);
    });
    if (code !== 0) throw new RebuildFailedError(`${projection} was not rebuilt`);
  } finally {
    process.off('SIGTERM', pass);
    process.off('SIGINT', wait);
  }
}
