import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { type AddOptions, addLanes } from './add-lanes.ts';
import { type FundOptions, fundLanes } from './fund-lanes.ts';
import { addLaneGrantCommands, againText } from './lane-grants.ts';
import { parseAccount, parseEther, parseLane, parseLanes, parseSeconds } from './parse-options.ts';
import { runProgram } from './run-program.ts';

type DrainOptions = GlobalOptions & {
  readonly to?: string;
  readonly wait: number;
  readonly last?: true;
};

/** Stamping's program failed; it has printed why. */
class LaneCommandFailedError extends Error {
  override readonly name = 'LaneCommandFailedError';
  readonly retryable = false;
}

const variables =
  "Reads DATABASE_URL (stamping's), RPC_URL, CHAIN_ID, CONTRACT_ADDRESS, and the lanes' keys (LANE_SEED_FILE and LANES, or LANE_KMS_KEYS, with OPERATOR_ADDRESS), as stamping does.";

/** `lanes …`: stamping's own program reads and writes its tables. */
export function addLaneCommands(program: Command, context: CommandContext): void {
  const lanes = program.command('lanes').description('the keys that send batches');
  addLaneGrantCommands(lanes, context);
  const run = async (words: readonly string[], { json }: GlobalOptions): Promise<void> => {
    const env = context.config.lanes();
    const code = await runProgram('stamping', 'lanes.ts', [...words, ...(json ? ['--json'] : [])], env);
    if (code !== 0) throw new LaneCommandFailedError(`lanes ${words[0]} was not done`);
  };
  lanes
    .command('list')
    .description('addresses, balances, what is in flight, and whether the operator has added them; only reads')
    .addHelpText('after', `\n${variables}\n\nExample:\n  indelible lanes list --json`)
    .action((_options, command: Command) => run(['list'], command.optsWithGlobals<GlobalOptions>()));
  lanes
    .command('add')
    .argument('[index...]', 'these alone', parseLanes)
    .option('--again', againText)
    .description("adds lanes to the contract by the operator's key; safe to run again")
    .option('--wait <seconds>', 'how long a transaction may take', parseSeconds, 120)
    .addHelpText(
      'after',
      `
Without an index all lanes of LANE_SEED_FILE or LANE_KMS_KEYS are added. A lane of another operator is refused. A lane that was removed
is left as it is: what pools have of it would write again. Never use --again for a lane that \`indelible restore\` has closed.
Where the operator's key is elsewhere: \`lanes request-grants\`, \`sign-grants\` and \`send-grants\`.

Example:
  indelible lanes add 1 2`,
    )
    .action((indexes: readonly number[], _options, command: Command) =>
      addLanes(context, indexes, command.optsWithGlobals<AddOptions>()),
    );
  lanes
    .command('drain')
    .argument('<index>', 'the lane', parseLane)
    .description('a lane takes nothing new; waits until it is empty, then sends what it has left to the operator')
    .option('--to <address>', 'send what is left there instead', parseAccount)
    .option('--last', 'also when no other lane is left: stamps wait until one is')
    .option('--wait <seconds>', 'how long to wait for final blocks', parseSeconds, 1_800)
    .addHelpText(
      'after',
      `
A lane is empty when all its transactions are in final blocks. Run it again when the time was too short: the lane stays closed.
\`indelible lanes resume\` opens it again. ${variables}

Example:
  indelible lanes drain 3 --wait 3600`,
    )
    .action((index: number, _options, command: Command) => {
      const options = command.optsWithGlobals<DrainOptions>();
      const to = options.to === undefined ? [] : ['--to', options.to];
      const last = options.last ? ['--last'] : [];
      return run(['drain', '--lane', String(index), '--wait', String(options.wait), ...to, ...last], options);
    });
  lanes
    .command('resume')
    .argument('<index>', 'the lane', parseLane)
    .description('a drained lane takes batches again; send it funds first')
    .addHelpText('after', `\n${variables}\n\nExample:\n  indelible lanes resume 3`)
    .action((index: number, _options, command: Command) =>
      run(['resume', '--lane', String(index)], command.optsWithGlobals<GlobalOptions>()),
    );
  lanes
    .command('fund')
    .description("sends funds to the lanes that have little, from the operator's key or another; safe to run again")
    .requiredOption('--below <ether>', 'lanes with less', parseEther)
    .requiredOption('--up-to <ether>', 'what they have afterwards', parseEther)
    .option('--key-file <file>', "the key that pays, 32 bytes as hex, in a file as a seed's (default: the operator's)")
    .option('--dry-run', 'only print what would be sent')
    .option('--wait <seconds>', 'how long a transaction may take', parseSeconds, 120)
    .addHelpText(
      'after',
      `
Runs at the same time with the same key wait for each other, by DATABASE_URL. Drained lanes get nothing.

Example:
  indelible lanes fund --below 0.05 --up-to 0.2 --dry-run`,
    )
    .action((_options, command: Command) => fundLanes(context, command.optsWithGlobals<FundOptions>()));
}
