import { type Hex, parseCid } from '@indelible/identifiers';
import { publicEventTypes } from '@indelible/public-events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { parseAccount, parseInstant } from './parse-options.ts';
import { runProgram } from './run-program.ts';
import { tailEvents } from './tail-events.ts';

type TailOptions = GlobalOptions & {
  readonly account?: Hex;
  readonly collection?: string;
  readonly type?: readonly string[];
  readonly since?: Date;
  readonly fromBeginning?: true;
};
type ReplayOptions = GlobalOptions & {
  readonly toTopic: string;
  readonly account?: Hex;
  readonly collection?: readonly Hex[];
  readonly type?: readonly string[];
  readonly since?: Date;
  readonly until?: Date;
  readonly after?: string;
  readonly append?: true;
  readonly dryRun?: true;
};

/** `events …` */
export function addEventCommands(program: Command, context: CommandContext): void {
  const events = program.command('events').description('public events: follow them, or give a team the whole history');
  const account = () => new Option('--account <address>', 'only of this account').argParser(parseAccount);
  const types = () =>
    new Option('--type <types...>', 'only these types').choices(publicEventTypes.map(({ name }) => name));
  events
    .command('tail')
    .description(
      'prints the events of the public topic as they come, until Ctrl-C; with --json as CloudEvents, one a line',
    )
    .addOption(account())
    .option('--collection <cid or name>', 'only of this collection')
    .addOption(types())
    .option('--since <time>', 'begin with what was published then, as far as the topic keeps it', parseInstant)
    .addOption(new Option('--from-beginning', 'begin with the first event that the topic has').conflicts('since'))
    .action((_options, command: Command) => tail(context, command.optsWithGlobals<TailOptions>()));
  events
    .command('replay')
    .description(
      'publishes events from the log to a topic of its own: same keys, ids, headers and order as on the public topic',
    )
    .requiredOption(
      '--to-topic <name>',
      'the topic; created when it is missing, with the partitions of the public topic',
    )
    .addOption(account())
    .addOption(new Option('--collection <cids...>', 'only of these collections').argParser(collectCids))
    .addOption(types())
    .option(
      '--since <time>',
      'from the events that were appended to the log then (default: from the first)',
      parseInstant,
    )
    .option('--until <time>', 'up to those that were appended before (default: now)', parseInstant)
    .option('--after <cursor>', 'go on behind it: where a replay that was stopped has printed it')
    .option('--append', 'also to a topic that has records already')
    .option('--dry-run', 'only count the events')
    .action((_options, command: Command) => replay(context, command.optsWithGlobals<ReplayOptions>()));
}

function collectCids(text: string, before: readonly Hex[] | undefined): readonly Hex[] {
  const cid = parseCid(text);
  if (cid === undefined) throw new InvalidArgumentError('It must be a CID: 0x and 64 hex digits.');
  return [...(before ?? []), cid];
}

async function tail(context: CommandContext, options: TailOptions): Promise<void> {
  const { collection } = options;
  const cid = collection === undefined ? undefined : parseCid(collection);
  const named = collection === undefined ? {} : cid === undefined ? { collectionName: collection } : { setCid: cid };
  await tailEvents(context, {
    from: options.fromBeginning ? 'beginning' : (options.since ?? 'end'),
    json: options.json === true,
    wanted: {
      ...(options.account === undefined ? {} : { account: options.account }),
      ...named,
      ...(options.type === undefined ? {} : { types: new Set(options.type) }),
    },
  });
}

/** The replay did not finish; its program has printed why and how to continue. */
class ReplayFailedError extends Error {
  override readonly name = 'ReplayFailedError';
  readonly retryable = false;
}

async function replay(context: CommandContext, options: ReplayOptions): Promise<void> {
  const value = (name: string, text: string | undefined): string[] => (text === undefined ? [] : [`--${name}`, text]);
  const words = [
    ...value('to-topic', options.toTopic),
    ...value('account', options.account),
    ...(options.collection ?? []).flatMap((cid) => value('collection', cid)),
    ...(options.type ?? []).flatMap((type) => value('type', type)),
    ...value('since', options.since?.toISOString()),
    ...value('until', options.until?.toISOString()),
    ...value('after', options.after),
    ...(options.append ? ['--append'] : []),
    ...(options.dryRun ? ['--dry-run'] : []),
    ...(options.json ? ['--json'] : []),
  ];
  const code = await runProgram('notifications', 'replay.ts', words, context.config.replaying());
  if (code !== 0) throw new ReplayFailedError(`not all events were replayed to ${options.toTopic}`);
}
