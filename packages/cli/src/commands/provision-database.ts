import { provideDatabase, type RoleReport } from '@indelible/provisioning';
import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';

type DatabaseCommandOptions = GlobalOptions & { readonly rolePrefix?: string; readonly dryRun?: boolean };

/** `provision database` */
export function addProvisionDatabaseCommand(provision: Command, context: CommandContext): void {
  provision
    .command('database')
    .description('makes a role for each service, which owns its schemas and reaches no other; safe to run again')
    .option('--role-prefix <prefix>', 'before the names of the roles (default: the name of the database and _)')
    .option('--dry-run', 'only print what would be done')
    .addHelpText(
      'after',
      `
Reads DATABASE_URL: the database's owner, or a superuser, who may create roles (CREATEROLE). Passwords: GATEWAY_DATABASE_PASSWORD,
STAMPING_…, CHAIN_INDEXER_…, STORAGE_…, VERIFICATION_…, NOTIFICATIONS_…, OPERATOR_… (for commands that write) and READER_DATABASE_PASSWORD
(for \`status\` and \`doctor\`), each also as a file (…_PASSWORD_FILE). A role without one keeps the password that it has; none is printed.
Run it before \`migrate\`. Schemas of an installation that had one role for all change their owner: stop the services for that once.

Example:
  DATABASE_URL=postgres://postgres@postgres/indelible GATEWAY_DATABASE_PASSWORD_FILE=/run/secrets/gateway indelible provision database`,
    )
    .action((_options, command: Command) => provide(context, command.optsWithGlobals<DatabaseCommandOptions>()));
}

async function provide(context: CommandContext, options: DatabaseCommandOptions): Promise<void> {
  const { dryRun = false, rolePrefix } = options;
  const report = await provideDatabase({
    url: context.config.store().databaseUrl,
    passwords: context.config.databasePasswords(),
    dryRun,
    ...(rolePrefix === undefined ? {} : { rolePrefix }),
  });
  if (options.json) return context.out(JSON.stringify({ dryRun, ...report }));
  for (const role of report.roles) context.out(lineOf(role, dryRun));
  context.out(
    report.openToAll
      ? `database ${report.database}: every role of the server may connect, since it belongs to another role`
      : `database ${report.database}: these roles may connect, and no other`,
  );
}

function lineOf({ role, created, password, schemas }: RoleReport, dryRun: boolean): string {
  const would = dryRun ? 'would be ' : '';
  const parts = [
    created ? `${would}created` : 'is there',
    password === 'set' ? `password ${would}set` : 'password left as it is',
    ...schemas.map(({ schema, created: isNew, taken }) =>
      isNew
        ? `schema ${schema} ${would}created`
        : taken === 0
          ? `owns schema ${schema}`
          : `${taken} of schema ${schema} ${would}taken over`,
    ),
  ];
  return `${role}: ${parts.join(', ')}`;
}
