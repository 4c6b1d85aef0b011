import type { ApiKeyRow, Scope } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import type { Command } from 'commander';
import { withAccountStore } from '../accounts-store.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { parseAccount, parseInstant, parseScopeList } from './parse-options.ts';
import { instantText, textTable } from './text-table.ts';

type CreateOptions = GlobalOptions & {
  readonly account: Hex;
  readonly name: string;
  readonly scopes?: readonly Scope[];
  readonly expires?: Date;
};
type ListOptions = GlobalOptions & { readonly account: Hex };

/** `keys …` */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('API keys of accounts');
  keys
    .command('create')
    .description('creates a key for an account')
    .requiredOption('--account <address>', 'the owner address of the account', parseAccount)
    .requiredOption('--name <name>', 'what the key is for')
    .option('--scopes <scopes>', 'stamp, read or both, comma-separated (default: both)', parseScopeList)
    .option('--expires <instant>', 'when the key ends, ISO 8601 (default: never)', parseInstant)
    .action((_options, command: Command) => createKey(context, command.optsWithGlobals<CreateOptions>()));
  keys
    .command('revoke')
    .description('revokes a key for good, within seconds; exit status 1 when there is no such key')
    .argument('<id>', "the key's id")
    .action((id: string, _options, command: Command) => revokeKey(context, id, command.optsWithGlobals()));
  keys
    .command('list')
    .description('lists the keys of an account')
    .requiredOption('--account <address>', 'the owner address of the account', parseAccount)
    .action((_options, command: Command) => listKeys(context, command.optsWithGlobals<ListOptions>()));
}

async function createKey(context: CommandContext, options: CreateOptions): Promise<void> {
  const { account, name, scopes, expires } = options;
  const request = {
    account,
    name,
    ...(scopes === undefined ? {} : { scopes }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
  };
  const { id, apiKey } = await withAccountStore(context.config.store(), (store) => store.createKey(request));
  context.out(
    options.json ? JSON.stringify({ id, apiKey }) : `Id       ${id}\nAPI key  ${apiKey}  (shown once: keep it safe)`,
  );
}

async function revokeKey(context: CommandContext, id: string, options: GlobalOptions): Promise<void> {
  const revoked = await withAccountStore(context.config.store(), (store) => store.revokeKey(id));
  context.out(options.json ? JSON.stringify(revoked) : `${revoked.id} revoked at ${revoked.revokedAt.toISOString()}`);
}

async function listKeys(context: CommandContext, options: ListOptions): Promise<void> {
  const keys = await withAccountStore(context.config.store(), (store) => store.listKeys(options.account));
  context.out(options.json ? JSON.stringify(keys) : tableOf(keys));
}

const tableOf = (keys: readonly ApiKeyRow[]): string =>
  textTable([
    ['Id', 'Key', 'Name', 'Scopes', 'Created', 'Expires', 'Last used', 'Revoked'],
    ...keys.map((key) => [
      key.id,
      key.hint,
      key.name,
      key.scopes.join(','),
      ...[key.createdAt, key.expiresAt, key.lastUsedAt, key.revokedAt].map(instantText),
    ]),
  ]);
