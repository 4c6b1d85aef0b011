import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { type DatabaseReport, provideDatabase, type RoleReport } from '../provisioning.ts';
import { parseSeconds } from './parse-options.ts';

type DatabaseCommandOptions = GlobalOptions & {
  readonly rolePrefix?: string;
  readonly closeToOthers?: boolean;
  readonly wait: number;
  readonly dryRun?: boolean;
};

/** `provision database` */
export function addProvisionDatabaseCommand(provision: Command, context: CommandContext): void {
  provision
    .command('database')
    .description('makes a role for each service, which owns its schemas and reaches no other; safe to run again')
    .option('--role-prefix <prefix>', 'before the names of the roles (default: the name of the database and _)')
    .option('--close-to-others', 'no other role of the server may connect: for a database that serves nothing else')
    .option('--wait <seconds>', 'how long tables to be taken over may be in use by others', parseSeconds, 60)
    .option('--dry-run', 'only print what would be done')
    .addHelpText(
      'after',
      `
Reads DATABASE_URL: the database's owner, or a superuser, who may create roles (CREATEROLE). Passwords: GATEWAY_DATABASE_PASSWORD,
STAMPING_…, CHAIN_INDEXER_…, STORAGE_…, VERIFICATION_…, NOTIFICATIONS_…, OPERATOR_… (for commands that write) and READER_DATABASE_PASSWORD
(for \`status\` and \`doctor\`), each also as a file (…_PASSWORD_FILE). A role without one keeps the password that it has; none is printed.
Where programs of others use the same database, leave --close-to-others out: it takes CONNECT and TEMPORARY on the database, and CREATE on
the schema public, from PUBLIC. What was taken stays so in later runs without it.
Run it before \`migrate\`. Schemas of an installation that had one role for all change their owner, a table at a time, each
with a lock for which others wait two seconds at most: stop the services for that once, unless they log in as this administrator: then run it
again after all of them have restarted with their own roles, since what they made meanwhile, such as the coming days' parts of inboxes, is
this administrator's, and a service cannot remove it later.

Example:
  DATABASE_URL=postgres://postgres@postgres/indelible GATEWAY_DATABASE_PASSWORD_FILE=/run/secrets/gateway indelible provision database --close-to-others`,
    )
    .action((_options, command: Command) => provide(context, command.optsWithGlobals<DatabaseCommandOptions>()));
}

async function provide(context: CommandContext, options: DatabaseCommandOptions): Promise<void> {
  const { dryRun = false, closeToOthers = false, rolePrefix, wait } = options;
  const report = await provideDatabase({
    url: context.config.store().databaseUrl,
    passwords: context.config.databasePasswords(),
    closeToOthers,
    waitMs: wait * 1_000,
    dryRun,
    ...(rolePrefix === undefined ? {} : { rolePrefix }),
  });
  if (options.json) return context.out(JSON.stringify({ dryRun, ...report }));
  for (const role of report.roles) context.out(lineOf(role, dryRun));
  context.out(`database ${report.database}: ${accessOf(report, closeToOthers)}`);
}

function accessOf({ openToAll }: DatabaseReport, closeToOthers: boolean): string {
  if (!openToAll) return 'these roles may connect, and no other';
  const open = 'every role of the server may connect';
  return closeToOthers ? `${open}, since it belongs to another role` : `${open}; --close-to-others changes that`;
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
