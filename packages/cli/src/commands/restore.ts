import { accountsSchema, type PublishedAccount, restoreAccounts } from '@indelible/accounts';
import { createSeedCustody, seedFromHexOrFile } from '@indelible/ethereum/custody';
import { checksumAddress } from '@indelible/identifiers';
import { createMessageBus, isMessage, type MessageBus } from '@indelible/kafka';
import { AccountOpened, consumerGroups } from '@indelible/messages';
import { createDatabase } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { parseCount, parseInstant } from './parse-options.ts';
import { runProgram } from './run-program.ts';

/** The moment of the backup; undefined when there is none. */
type Since = Date | 'beginning';

type RestoreOptions = GlobalOptions & { readonly since: Since; readonly fromBlock?: number };

/** Stamping's program failed; it has printed why. */
class RestoreFailedError extends Error {
  override readonly name = 'RestoreFailedError';
  readonly retryable = false;
}

/** Clocks of broker and database differ, and consumers lag: repeats are dropped by id. */
const marginMs = 3_600_000;
/** Inboxes remember 30 days. */
const oldestMs = 29 * 86_400_000;

const parseSince = (text: string): Since => {
  if (text === 'beginning') return text;
  try {
    return parseInstant(text);
  } catch {
    throw new InvalidArgumentError('It must be ISO 8601, such as 2030-01-31T12:00:00Z, or `beginning`.');
  }
};

/** `restore` */
export function addRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('brings a database that was restored from a backup up to what topics and chain say; safe to run again')
    .addOption(
      new Option('--since <time>', 'when the backup was made, rather too early than too late; `beginning` without one')
        .argParser(parseSince)
        .makeOptionMandatory(),
    )
    .option('--from-block <block>', 'the first block that the backup may lack (default: as it says)', parseCount)
    .addHelpText(
      'after',
      `
Stop all services first, and start none before it has ended with 0. docs/backup.md has the whole procedure.
Reads what \`indelible lanes\` and \`indelible accounts create\` read, and the brokers.

Example:
  indelible restore --since 2030-01-31T12:00:00Z`,
    )
    .action((_options, command: Command) => restore(context, command.optsWithGlobals<RestoreOptions>()));
}

async function restore(context: CommandContext, options: RestoreOptions): Promise<void> {
  if (options.since !== 'beginning' && Date.now() - options.since.getTime() > oldestMs)
    throw new RestoreFailedError(
      'a backup older than 29 days is not brought up to date: inboxes have forgotten what they handled. See docs/backup.md',
    );
  const since = options.since === 'beginning' ? undefined : new Date(options.since.getTime() - marginMs);
  const bus = createMessageBus({
    ...context.config.broker(),
    clientId: 'indelible-restore',
    source: 'indelible/cli',
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  await bus.checkGroupsStopped(Object.keys(consumerGroups));
  const accounts = await restoreLostAccounts(context, bus);
  for (const account of accounts)
    context.note(`account ${checksumAddress(account)} is back without its name, e-mail address and keys`);

  const words = [
    ...(since === undefined ? [] : ['--since', since.toISOString()]),
    ...(options.fromBlock === undefined ? [] : ['--from-block', String(options.fromBlock)]),
    ...(options.json ? ['--json'] : []),
  ];
  const code = await runProgram('stamping', 'restore.ts', words, context.config.restoring());
  if (code !== 0) throw new RestoreFailedError('the database was not brought up to date: start no service');

  // Last, so that a run that fails earlier leaves them unchanged.
  const rewound = await bus.rewindGroups(consumerGroups, since ?? new Date(0));
  for (const { group, records } of rewound) context.note(`${group}: ${records} records are handled again`);
}

/** Accounts opened after the backup. All are read: they are few, and none may be left out. */
async function restoreLostAccounts(context: CommandContext, bus: MessageBus) {
  const { custodySeed, databaseUrl } = context.config.opening();
  const published: PublishedAccount[] = [];
  const reader = bus.createTopicReader({
    name: 'restore-accounts',
    contracts: [AccountOpened],
    async handle(batch) {
      for (const message of batch)
        if (isMessage(message, AccountOpened)) published.push({ messageId: message.id, data: message.data });
    },
  });
  const stopping = new AbortController();
  try {
    await reader.start();
    await reader.catchUp(stopping.signal);
  } finally {
    await reader.stop();
  }
  const database = createDatabase({
    url: databaseUrl,
    schema: accountsSchema,
    applicationName: 'indelible restore',
    maxConnections: 1,
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  try {
    const signer = createSeedCustody({ seed: await seedFromHexOrFile(custodySeed) });
    return await restoreAccounts(database, published, signer);
  } finally {
    await database.close();
  }
}
