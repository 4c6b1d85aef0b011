import { readFile } from 'node:fs/promises';
import { createRpc } from '@indelible/ethereum';
import { checksumAddress, type Hex } from '@indelible/identifiers';
import type { Command } from 'commander';
import { lanesOf, withLaneKeys } from '../chain/lane-keys.ts';
import { readOperatorKeys } from '../chain/operator-keys.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { describeError } from '../describe-error.ts';
import { readLaneGrants, requestLaneGrants, sendLaneGrants, signLaneGrants } from '../provisioning.ts';
import { SettingsError } from '../settings-error.ts';
import { parseLanes, parseSeconds } from './parse-options.ts';

type SendOptions = GlobalOptions & { readonly wait: number };

type RequestOptions = GlobalOptions & { readonly again?: boolean };

const rpcTimeoutMs = 10_000;

/** Of `lanes add` and `lanes request-grants`. */
export const againText =
  'also those of them that were removed: only when nothing that they have sent may still come into a block';

/** `request-grants`, `sign-grants` and `send-grants` of `lanes`: for an operator whose key is offline. */
export function addLaneGrantCommands(lanes: Command, context: CommandContext): void {
  lanes
    .command('request-grants')
    .description(
      'prints what the operator has to sign so that the lanes of LANE_SEED_FILE or LANE_KMS_KEYS may write for it',
    )
    .argument('[index...]', 'these alone', parseLanes)
    .option('--again', againText)
    .addHelpText(
      'after',
      `
A lane that was removed is left out: what pools have of it would write again. Never use --again for a lane that \`indelible restore\` has closed.

Example: indelible lanes request-grants > grants.json`,
    )
    .action((indexes: readonly number[], _options, command: Command) =>
      request(context, indexes, command.optsWithGlobals<RequestOptions>()),
    );
  lanes
    .command('sign-grants')
    .description('signs such a request with the key of OPERATOR_SEED_FILE and prints it; needs no network')
    .argument('<file>', 'what request-grants printed')
    .addHelpText('after', '\nExample: indelible lanes sign-grants grants.json > signed.json')
    .action((file: string) => sign(context, file));
  lanes
    .command('send-grants')
    .description('sends signed grants and waits until they are in a block; those that are there are passed over')
    .argument('<file>', 'what sign-grants printed')
    .option('--wait <seconds>', 'how long to wait for each', parseSeconds, 120)
    .addHelpText('after', '\nExample: indelible lanes send-grants signed.json')
    .action((file: string, _options, command: Command) => send(context, file, command.optsWithGlobals<SendOptions>()));
}

async function request(
  context: CommandContext,
  indexes: readonly number[],
  { again = false }: RequestOptions,
): Promise<void> {
  if (again && indexes.length === 0) throw new SettingsError('--again needs the indexes of the removed lanes');
  const { rpcUrls, contract } = context.config.chain();
  if (contract === undefined) throw new SettingsError('run `npm start` first, or set CONTRACT_ADDRESS');
  const rpc = createRpc({ urls: rpcUrls, timeoutMs: rpcTimeoutMs });
  try {
    await withLaneKeys(context.config.laneKeys(), async (keys) => {
      const lanes = await lanesOf(keys, indexes);
      const removed: Hex[] = [];
      const onRemoved = (lane: Hex): void => void removed.push(lane);
      const grants = await requestLaneGrants(rpc, { contract, operator: keys.operator }, lanes, { again, onRemoved });
      for (const lane of removed)
        context.note(
          `lane ${checksumAddress(lane)} was removed, and is not granted again: use another lane, or see --again`,
        );
      const known = lanes.length - grants.grants.length - removed.length;
      if (known > 0) context.note(`${known} of ${lanes.length} lanes are granted already`);
      context.out(JSON.stringify(grants, undefined, 2));
    });
  } finally {
    rpc.close();
  }
}

async function sign(context: CommandContext, file: string): Promise<void> {
  const grants = readLaneGrants(await readText(file));
  const { operator } = await readOperatorKeys(context.config.operator());
  const signed = signLaneGrants(grants, operator);
  for (const { lane } of grants.grants)
    context.note(`signed: lane ${checksumAddress(lane)} may write for ${checksumAddress(grants.operator)}`);
  context.note(`at contract ${checksumAddress(grants.contract)} on chain ${grants.chainId}`);
  context.out(JSON.stringify(signed, undefined, 2));
}

async function send(context: CommandContext, file: string, options: SendOptions): Promise<void> {
  const grants = readLaneGrants(await readText(file));
  const rpc = createRpc({ urls: context.config.chain().rpcUrls, timeoutMs: rpcTimeoutMs });
  try {
    const added = await sendLaneGrants(rpc, grants, { timeoutMs: options.wait * 1_000 });
    context.out(
      options.json
        ? JSON.stringify({ granted: added.map(checksumAddress) })
        : added.map((lane) => `granted ${checksumAddress(lane)}`).join('\n') || 'all lanes were granted already',
    );
  } finally {
    rpc.close();
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new SettingsError(`${file} cannot be read (${describeError(cause)})`, { cause });
  }
}
