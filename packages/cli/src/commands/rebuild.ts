import { Argument, type Command, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { runProgram } from './run-program.ts';

/** The service of each projection: its program rebuilds it, since nobody else knows its tables. */
const services = {
  'gateway.collections': 'gateway',
  'verification.commitments': 'verification',
  'verification.collections': 'verification',
} as const;
type Projection = keyof typeof services;

type RebuildOptions = GlobalOptions & { readonly from?: 'topics' | 'chain'; readonly allowFewer?: true };

/** The rebuild failed; its program has printed why. */
class RebuildFailedError extends Error {
  override readonly name = 'RebuildFailedError';
  readonly retryable = false;
}

/** `rebuild …` */
export function addRebuildCommand(program: Command, context: CommandContext): void {
  program
    .command('rebuild')
    .description('rebuilds a read model while the old one serves queries, then swaps them')
    .addArgument(new Argument('<projection>', 'the read model').choices(Object.keys(services)))
    .addOption(
      new Option('--from <source>', 'topics (default), or chain: verification.commitments without any topic').choices([
        'topics',
        'chain',
      ]),
    )
    .option('--allow-fewer', 'swap even though rows would be lost that no message mentions')
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
  const env = context.config.rebuilding(options.from ?? 'topics');
  const code = await runProgram(services[projection], 'rebuild.ts', words, env);
  if (code !== 0) throw new RebuildFailedError(`${projection} was not rebuilt`);
}
