import { AccountRequestError } from '@indelible/accounts';
import { withoutSecrets } from '@indelible/service-runtime';
import { type Command, CommanderError } from 'commander';
import { addAccountCommands } from './commands/accounts.ts';
import { addChainCommands } from './commands/chain.ts';
import { addConfigCommand } from './commands/config.ts';
import { addContractCommands } from './commands/contract.ts';
import { addDeadLetterCommands } from './commands/dead-letters.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventCommands } from './commands/events.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addLaneCommands } from './commands/lanes.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addProvisionCommands } from './commands/provision.ts';
import { addRebuildCommand } from './commands/rebuild.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { addSeedCommands } from './commands/seed.ts';
import { addStatusCommand } from './commands/status.ts';
import type { CommandContext } from './context.ts';
import { describeError } from './describe-error.ts';
import { exitStatusHelp, IndelibleCommand, readVersion } from './indelible-command.ts';

/** 0: done. 1: it could not be done. 2: the command line is invalid. The doctor has its own meaning for each. */
export type ExitCode = 0 | 1 | 2;

/**
 * Runs one command: its result goes to `out`, a failure to `note` as one line (with its stack only under `--verbose`).
 * @param words the command line without program and script
 */
export async function runCommand(words: readonly string[], context: CommandContext): Promise<ExitCode> {
  let verdict: ExitCode = 0;
  const program = createProgram(context);
  addDoctorCommand(program, context, (concluded) => {
    verdict = concluded;
  });
  addStatusCommand(program, context, (concluded) => {
    verdict = concluded;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return verdict;
  } catch (error) {
    // Commander has printed the reason.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    context.note(`indelible: ${describeError(error)}`);
    if (program.opts().verbose === true && error instanceof Error) context.note(withoutSecrets(error.stack ?? ''));
    return error instanceof AccountRequestError && error.code === 'invalid' ? 2 : 1;
  }
}

function createProgram(context: CommandContext): Command {
  const program = new IndelibleCommand('indelible')
    .description('Commands for those who run Indelible')
    .option('--json', 'print the result as JSON, and nothing else')
    .option('--verbose', 'print the stack of an error')
    .version(readVersion(), '--version', 'print the version')
    .addHelpText('after', exitStatusHelp)
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.out(text.trimEnd()),
      writeErr: (text) => context.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'indelible: ').replace(/\n\(Did/, ' (Did')),
    });
  addAccountCommands(program, context);
  addKeyCommands(program, context);
  addChainCommands(program, context);
  addDeadLetterCommands(program, context);
  addRebuildCommand(program, context);
  addRestoreCommand(program, context);
  addEventCommands(program, context);
  addProvisionCommands(program, context);
  addMigrateCommand(program, context);
  addContractCommands(program, context);
  addLaneCommands(program, context);
  addSeedCommands(program, context);
  addConfigCommand(program, context);
  return program;
}
