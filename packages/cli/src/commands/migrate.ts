import { Argument, type Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { type MigrationRun, runMigrations, type ServiceName, serviceNames } from '../provisioning.ts';

type MigrateOptions = GlobalOptions & { readonly dryRun?: boolean; readonly stopped?: boolean };

/** Schemas that were refused or not reached; each was printed. */
class MigrationsFailedError extends Error {
  override readonly name = 'MigrationsFailedError';
  readonly retryable = false;
}

/** `migrate …` */
export function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description(
      "brings the services' tables to the state of this release; safe to run again, and beside running services",
    )
    .addArgument(new Argument('[service...]', 'these alone (default: all)').choices(serviceNames))
    .option('--dry-run', 'only print what would run, and what needs its service stopped')
    .option('--stopped', 'the services are stopped: also run what rewrites or locks tables until it is done')
    .addHelpText(
      'after',
      `
Without --stopped, a schema whose pending migrations need the service stopped is left as it is (exit status 1); the others are migrated.
Runs at the same time wait for each other, at most ten minutes.

Example:
  DATABASE_URL=postgres://indelible_stamping@postgres/indelible indelible migrate stamping --dry-run`,
    )
    .action((services: readonly ServiceName[], _options, command: Command) =>
      migrate(context, services, command.optsWithGlobals<MigrateOptions>()),
    );
}

async function migrate(
  context: CommandContext,
  services: readonly ServiceName[],
  { dryRun = false, stopped = false, json }: MigrateOptions,
): Promise<void> {
  const environment = context.config.migrating();
  const chosen = serviceNames.filter((name) => services.length === 0 || services.includes(name));
  const runs = await Promise.all(chosen.map((service) => runMigrations(service, environment, { dryRun, stopped })));
  if (json) context.out(JSON.stringify({ dryRun, services: runs }));
  else for (const run of runs) for (const line of linesOf(run, dryRun)) context.out(line);
  const failed = runs.filter(({ fault }) => fault !== undefined);
  if (!json) for (const { fault } of failed) context.note(`${fault}`);
  if (failed.length > 0)
    throw new MigrationsFailedError(`not migrated: ${failed.map(({ service }) => service).join(', ')}`);
}

const linesOf = ({ schemas }: MigrationRun, dryRun: boolean): string[] =>
  schemas.map(({ schema, ran, pending, needStop }) => {
    const names = dryRun ? pending : ran;
    const done = names.length === 0 ? 'up to date' : `${dryRun ? 'would run' : 'ran'} ${names.join(', ')}`;
    return `${schema}: ${done}${needStop.length === 0 ? '' : `; needs the service stopped: ${needStop.join(', ')}`}`;
  });
