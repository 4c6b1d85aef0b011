import {
  BrokerUnavailableError,
  createMessageBus,
  type DeadLetter,
  type LetterPlace,
  type MessageBus,
  rootOf,
} from '@indelible/kafka';
import { type TopicName, topics } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import { Argument, type Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { jsonOfLetter, lineOfLetter, nameOfPlace, textOfValue } from './letter-texts.ts';
import { parseCount, parsePlace } from './parse-options.ts';

type ReplayOptions = GlobalOptions & { readonly limit?: number; readonly letter?: LetterPlace };
type ListOptions = GlobalOptions & { readonly limit: number };
type ShowOptions = GlobalOptions & { readonly value?: true };
type DiscardOptions = GlobalOptions & { readonly through: LetterPlace; readonly yes?: true };

const letterForm = '<partition:offset>';

/** `dead-letters …` */
export function addDeadLetterCommands(program: Command, context: CommandContext): void {
  const deadLetters = program
    .command('dead-letters')
    .description('messages that could not be handled and were set aside');
  const topicArgument = () =>
    new Argument('<topic>', 'the topic they came from').choices(Object.keys(topics)) as Argument;
  deadLetters
    .command('list')
    .description('counts dead letters by topic, and shows which group could not handle them, and why')
    .addArgument(new Argument('[topic]', 'only of this topic').choices(Object.keys(topics)))
    .option('--limit <count>', 'at most this many of a topic', parseCount, 20)
    .action((topic: TopicName | undefined, _options, command: Command) =>
      list(context, topic, command.optsWithGlobals<ListOptions>()),
    );
  deadLetters
    .command('show')
    .description('shows one dead letter: why it was set aside, and its headers')
    .addArgument(topicArgument())
    .argument(letterForm, 'the letter, as `list` names it', parsePlace)
    .option('--value', 'print its value, too: it may hold names and addresses')
    .action((topic: TopicName, place: LetterPlace, _options, command: Command) =>
      show(context, topic, place, command.optsWithGlobals<ShowOptions>()),
    );
  deadLetters
    .command('replay')
    .description(
      'publishes dead letters to their topic again, each once; every group gets them, and knows what it has handled',
    )
    .addArgument(topicArgument())
    .option('--limit <count>', 'at most this many (default: all that are there)', parseCount)
    .option(`--letter ${letterForm}`, 'only this one', parsePlace)
    .action((topic: TopicName, _options, command: Command) =>
      replay(context, topic, command.optsWithGlobals<ReplayOptions>()),
    );
  deadLetters
    .command('discard')
    .description('gives up dead letters: they are neither listed nor replayed any more')
    .addArgument(topicArgument())
    .requiredOption(`--through ${letterForm}`, 'this one and all before it', parsePlace)
    .option('--yes', 'do it; without it, the command says what it would do')
    .action((topic: TopicName, _options, command: Command) =>
      discard(context, topic, command.optsWithGlobals<DiscardOptions>()),
    );
}

async function list(context: CommandContext, only: TopicName | undefined, options: ListOptions): Promise<void> {
  const found = await onBus(context, async ({ deadLetters }) => {
    const counts = [...(await deadLetters.count())].filter(([topic]) => only === undefined || topic === only);
    const topicsFound: { topic: TopicName; count: number; letters: readonly DeadLetter[] }[] = [];
    for (const [topic, count] of counts)
      topicsFound.push({ topic, count, letters: count === 0 ? [] : await deadLetters.list(topic, options.limit) });
    return topicsFound;
  });
  if (options.json) {
    const shown = found.map(({ letters, ...topic }) => ({ ...topic, letters: letters.map(jsonOfLetter) }));
    return context.out(JSON.stringify({ topics: shown }));
  }
  for (const { topic, count, letters } of found) {
    context.out(`${topic}: ${count}`);
    for (const letter of letters) context.out(`  ${lineOfLetter(letter)}`);
    if (count > letters.length) context.out(`  and ${count - letters.length} more (--limit)`);
  }
}

async function show(
  context: CommandContext,
  topic: TopicName,
  place: LetterPlace,
  options: ShowOptions,
): Promise<void> {
  const letter = await onBus(context, ({ deadLetters }) => deadLetters.show(topic, place));
  const value = options.value ? { value: textOfValue(letter.value) } : {};
  const shown = { topic, ...jsonOfLetter(letter), key: letter.key, headers: letter.envelope, ...value };
  context.out(JSON.stringify(shown, null, options.json ? undefined : 2));
}

async function replay(context: CommandContext, topic: TopicName, options: ReplayOptions): Promise<void> {
  const { letter, limit } = options;
  const replayed = await onBus(context, async (bus) => {
    if (letter === undefined) return bus.replayDeadLetters({ topic, ...(limit === undefined ? {} : { limit }) });
    await bus.deadLetters.replay(topic, letter);
    return 1;
  });
  context.out(options.json ? JSON.stringify({ topic, replayed }) : `${replayed} replayed to ${topic}`);
}

async function discard(context: CommandContext, topic: TopicName, options: DiscardOptions): Promise<void> {
  const { through, yes = false } = options;
  const count = await onBus(context, ({ deadLetters }) => deadLetters.discard(topic, through, !yes));
  if (!yes)
    throw new Error(`--yes is missing: it discards ${count} of ${topic}, through ${nameOfPlace(through)}, for good`);
  context.out(options.json ? JSON.stringify({ topic, discarded: count }) : `${count} discarded of ${topic}`);
}

/** @throws Error that names Kafka, its address and its variable when it cannot be reached */
async function onBus<Result>(context: CommandContext, work: (bus: MessageBus) => Promise<Result>): Promise<Result> {
  const settings = context.config.broker();
  const bus = createMessageBus({
    ...settings,
    clientId: 'indelible-cli',
    source: 'indelible/cli',
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  try {
    return await work(bus);
  } catch (error) {
    const root = rootOf(error);
    if (!(error instanceof BrokerUnavailableError) && !root.name.startsWith('KafkaJS')) throw error;
    const brokers = settings.brokers.join(', ');
    throw new Error(`Kafka at ${brokers} (KAFKA_BROKERS) failed or cannot be reached: ${root.message}`, {
      cause: error,
    });
  }
}
