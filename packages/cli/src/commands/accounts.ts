import type { AccountRow, AccountStore } from '@indelible/accounts';
import { checksumAddress, type Hex } from '@indelible/identifiers';
import type { Command } from 'commander';
import { withAccountStore } from '../accounts-store.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { type CreateOptions, createAccount } from './create-account.ts';
import { parseAccount, parseCount, parseSeconds } from './parse-options.ts';
import { instantText, textTable } from './text-table.ts';

type ListOptions = GlobalOptions & { readonly limit: number; readonly after?: Hex; readonly email?: string };

const pageSize = 1_000;

/** `accounts …` */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const accounts = program.command('accounts').description('accounts of the service');
  accounts
    .command('create')
    .description('opens an account with an API key and waits until it can stamp')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--email <email>', 'e-mail address')
    .option('--description <text>', 'what the account is for')
    .option('--display-timezone <name>', 'an IANA name such as Europe/Zurich; it changes no timestamp', 'UTC')
    .option('--wait <seconds>', 'how long to wait for its grant on chain; 0: not at all', parseSeconds, 60)
    .action((_options, command: Command) => createAccount(context, command.optsWithGlobals<CreateOptions>()));
  accounts
    .command('list')
    .description('lists accounts in the order of their opening')
    .option('--email <email>', 'only those with this e-mail address')
    .option('--after <address>', 'only those opened later than this account', parseAccount)
    .option('--limit <count>', 'at most so many', parseCount, pageSize)
    .action((_options, command: Command) => listAccounts(context, command.optsWithGlobals<ListOptions>()));
  const ofOne = (
    name: string,
    description: string,
    answer: (store: AccountStore, account: Hex) => Promise<AccountRow>,
  ) =>
    accounts
      .command(name)
      .description(`${description}; exit status 1 when there is no such account`)
      .argument('<address>', 'the owner address of the account', parseAccount)
      .action(async (account: Hex, _options, command: Command) => {
        const row = await withAccountStore(context.config.store(), (store) => answer(store, account));
        context.out(command.optsWithGlobals<GlobalOptions>().json ? JSON.stringify(shownOf(row)) : pageOf(row));
      });
  ofOne('show', 'shows an account', (store, account) => store.showAccount(account));
  ofOne(
    'disable',
    'refuses all keys of an account within seconds, until it is enabled; requests that were accepted go on',
    (store, account) => store.disableAccount(account),
  );
  ofOne('enable', 'accepts the keys of a disabled account again', (store, account) => store.enableAccount(account));
}

async function listAccounts(context: CommandContext, options: ListOptions): Promise<void> {
  const { limit, after, email } = options;
  const page = { limit: limit + 1, ...(after && { after }), ...(email !== undefined && { email }) };
  const found = await withAccountStore(context.config.store(), (store) => store.listAccounts(page));
  const rows = found.slice(0, limit);
  context.out(options.json ? JSON.stringify(rows.map(shownOf)) : tableOf(rows));
  const last = rows.at(-1);
  if (found.length > limit && last !== undefined)
    context.note(`there are more accounts: --after ${checksumAddress(last.account)}`);
}

const shownOf = ({ account, ...others }: AccountRow) => ({ address: checksumAddress(account), ...others });

const tableOf = (rows: readonly AccountRow[]): string =>
  textTable([
    ['Address', 'Name', 'E-mail', 'Opened', 'Keys', 'Disabled'],
    ...rows.map((row) => [
      checksumAddress(row.account),
      row.name,
      row.email,
      instantText(row.dateJoined),
      String(row.keys),
      instantText(row.disabledAt),
    ]),
  ]);

function pageOf(row: AccountRow): string {
  const { rateLimit } = row;
  const lines = [
    ['Address', checksumAddress(row.account)],
    ['Id', row.persistentId],
    ['Name', row.name],
    ['E-mail', row.email],
    ['Description', row.description || '–'],
    ['Time zone', row.displayTimezone],
    ['Opened', instantText(row.dateJoined)],
    ['Grant', row.grantSeen ? 'seen on chain' : 'not yet seen on chain'],
    [
      'Rate limit',
      rateLimit === null ? 'standard' : `${rateLimit.perSecond}/s, burst ${rateLimit.burst}, for each key`,
    ],
    ['Keys', `${row.keys} neither revoked nor expired`],
    ['Disabled', instantText(row.disabledAt)],
  ];
  return textTable(lines);
}
