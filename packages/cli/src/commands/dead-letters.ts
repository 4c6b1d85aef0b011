import { createMessageBus } from '@indelible/kafka';
import { type TopicName, topics } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import { Argument, type Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { parseCount } from './parse-options.ts';

type ReplayOptions = GlobalOptions & { readonly limit?: number };

/** `dead-letters …` */
export function addDeadLetterCommands(program: Command, context: CommandContext): void {
  const deadLetters = program.command('dead-letters').description('messages that were put aside');
  deadLetters
    .command('replay')
    .description('publishes the dead letters of a topic to it again, each once')
    .addArgument(new Argument('<topic>', 'the topic they came from').choices(Object.keys(topics)))
    .option('--limit <count>', 'at most this many (default: all that are there)', parseCount)
    .action((topic: TopicName, _options, command: Command) =>
      replay(context, topic, command.optsWithGlobals<ReplayOptions>()),
    );
}

async function replay(context: CommandContext, topic: TopicName, options: ReplayOptions): Promise<void> {
  const bus = createMessageBus({
    ...context.config.broker(),
    clientId: 'indelible-cli',
    source: 'indelible/cli',
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  const replayed = await bus.replayDeadLetters({
    topic,
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  });
  context.out(options.json ? JSON.stringify({ topic, replayed }) : `${replayed} replayed to ${topic}`);
}
