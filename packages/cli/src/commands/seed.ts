import { resolve } from 'node:path';
import { createSeedFile } from '@indelible/ethereum/custody';
import { type Command, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';

type NewOptions = GlobalOptions & { readonly mode: '0400' | '0440' };

/** `seed …` */
export function addSeedCommands(program: Command, context: CommandContext): void {
  const seed = program.command('seed').description('the secrets that keys are derived from');
  seed
    .command('new <file>')
    .description('writes 32 random bytes to a new file and prints nothing of them; an existing seed file is kept')
    .addOption(
      new Option('--mode <mode>', 'who may read it: the owner, or its group as well')
        .choices(['0400', '0440'])
        .default('0400'),
    )
    .addHelpText(
      'after',
      `
Back the file up before anything is derived from it: what it owns is lost with it.

Example:
  indelible seed new /run/secrets/operator.seed --mode 0440`,
    )
    .action((file: string, _options, command: Command) =>
      createSeed(context, resolve(file), command.optsWithGlobals<NewOptions>()),
    );
}

async function createSeed(context: CommandContext, path: string, { mode, json }: NewOptions): Promise<void> {
  const created = await createSeedFile(path, Number.parseInt(mode, 8));
  if (json) context.out(JSON.stringify({ path, created }));
  else context.out(created ? `created ${path} (mode ${mode})` : `${path} is a seed file already: kept`);
}
