import { parseArgs } from 'node:util';
import { commandMain, readDatabaseUrl } from '@indelible/service-runtime';
import { migrate, pendingMigrations, type SchemaMigrations } from './migrate.ts';

const waitMs = 600_000;

/**
 * The program of a service that brings its schemas to the newest state, a line for each schema. `--dry-run` prints what
 * would run; `--stopped` also runs what needs the service stopped; `--json` prints each line as JSON. Exit code 1 when
 * a schema was refused: later ones did not run.
 */
export async function migrateProgram(
  service: string,
  schemas: readonly Omit<SchemaMigrations, 'url'>[],
): Promise<void> {
  await commandMain(`migrate ${service}`, async () => {
    const flag = { type: 'boolean', default: false } as const;
    const { values } = parseArgs({ options: { 'dry-run': flag, stopped: flag, json: flag } });
    const url = readDatabaseUrl(process.env);
    for (const of of schemas) {
      if (values['dry-run']) {
        const { pending, needStop } = await pendingMigrations({ url, ...of });
        const line = `${of.schema}: ${pending.length === 0 ? 'up to date' : `would run ${pending.join(', ')}`}`;
        const stop = needStop.length === 0 ? '' : `; the service must be stopped for ${needStop.join(', ')}`;
        console.log(values.json ? JSON.stringify({ schema: of.schema, ran: [], pending, needStop }) : line + stop);
        continue;
      }
      const ran = await migrate({ url, ...of, waitMs, service: values.stopped ? 'stopped' : 'may run' });
      const line = `${of.schema}: ${ran.length === 0 ? 'up to date' : `ran ${ran.join(', ')}`}`;
      console.log(values.json ? JSON.stringify({ schema: of.schema, ran, pending: [], needStop: [] }) : line);
    }
  });
}
