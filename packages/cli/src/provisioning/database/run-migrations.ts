import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import type { ServiceName } from './service-names.ts';

/** What a service's migrations did to one schema, or in a dry run would do. */
export type SchemaRun = {
  readonly schema: string;
  readonly ran: readonly string[];
  readonly pending: readonly string[];
  /** Those of them that need the service stopped. */
  readonly needStop: readonly string[];
};

export type MigrationRun = {
  readonly service: ServiceName;
  readonly schemas: readonly SchemaRun[];
  /** Why it ended early. */
  readonly fault?: string;
};

const root = resolve(import.meta.dirname, '../../../../..');

/**
 * Runs the migrations of a service by its own program, since nobody else knows its tables. Runs at the same time wait for each other.
 * @param environment the service's DATABASE_URL, and what it needs to be read
 */
export function runMigrations(
  service: ServiceName,
  environment: Readonly<Record<string, string>>,
  options: { readonly dryRun?: boolean; readonly stopped?: boolean } = {},
): Promise<MigrationRun> {
  const words = ['--json', ...(options.dryRun ? ['--dry-run'] : []), ...(options.stopped ? ['--stopped'] : [])];
  const program = resolve(root, 'services', service, 'src/migrate.ts');
  return new Promise((settle) => {
    execFile(process.execPath, [program, ...words], { env: environment }, (error, stdout, stderr) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      const schemas = lines.map((line) => JSON.parse(line) as SchemaRun);
      if (error === null) settle({ service, schemas });
      else
        settle({ service, schemas, fault: stderr.trim() || `its migrations ended with ${error.code ?? error.signal}` });
    });
  });
}
