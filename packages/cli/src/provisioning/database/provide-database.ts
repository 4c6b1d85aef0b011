import { sessionAddress } from '@indelible/postgres';
import pg from 'pg';
import { closeToOthers, isOpenToAll } from './close-database.ts';
import type { DatabaseUser, usualRolePrefix } from './database-users.ts';
import { type Made, type MadeRole, makeRoles } from './make-roles.ts';
import { checkMayTake, countForeign, type OwnedSchema, takeSchemas } from './take-schema.ts';

/** The result for a schema: `taken` counts it and its objects that belonged to another role. */
export type SchemaReport = { readonly schema: string; readonly created: boolean; readonly taken: number };

export type RoleReport = MadeRole & { readonly schemas: readonly SchemaReport[] };

export type DatabaseReport = {
  readonly database: string;
  /** Any role of the server may still connect: closing was not requested, or the administrator may not. */
  readonly openToAll: boolean;
  readonly roles: readonly RoleReport[];
};

export type DatabaseOptions = {
  /** An administrator's: the database's owner, or a superuser, who may create roles (CREATEROLE). */
  readonly url: string;
  /** Default: {@link usualRolePrefix}. */
  readonly rolePrefix?: string;
  /** ASCII. */
  readonly passwords: Readonly<Partial<Record<DatabaseUser, string | undefined>>>;
  /** Only these roles may connect afterwards, and nobody may make tables in `public`: for a database that serves nothing else. */
  readonly closeToOthers: boolean;
  /** How long tables of a former role may be in use by others before the run ends. Default: 60,000. */
  readonly waitMs?: number;
  /** Changes nothing, and locks no table. */
  readonly dryRun?: boolean;
};

const quoted = (name: string): string => pg.escapeIdentifier(name);

const usualWaitMs = 60_000;

/**
 * Makes a role for each user of the database, which owns its schemas and reaches no other. What exists stays unchanged,
 * except given passwords. Schemas of an installation with one role for all change owner, one object at a time: running
 * services never wait for long, and a stopped run may be repeated. Runs at the same time wait for each other.
 * @throws DatabaseProvisionError, or what Postgres refuses
 */
export async function provideDatabase(options: DatabaseOptions): Promise<DatabaseReport> {
  const session = new pg.Client({ ...sessionAddress(options.url), application_name: 'provision database' });
  // The next statement reports its end.
  session.on('error', () => {});
  await session.connect();
  try {
    await session.query(`select pg_advisory_lock(hashtextextended('provision database', 0))`);
    // names of objects come with their schema
    await session.query(`set search_path = pg_catalog; set lock_timeout = '10s'`);
    await session.query('begin');
    const made = await makeRoles(session, options);
    for (const owned of made.owned) await checkMayTake(session, owned);
    if (options.dryRun) {
      const foreign = new Map<string, number>();
      for (const owned of made.owned) foreign.set(owned.schema, await countForeign(session, owned));
      if (options.closeToOthers) await closeToOthers(session, made.database);
      const openToAll = await isOpenToAll(session);
      await session.query('rollback');
      return reportOf(made, openToAll, foreign);
    }
    await session.query('commit');
    const taken = await takeSchemas(session, made.owned, options.waitMs ?? usualWaitMs);
    await session.query('begin');
    for (const owned of made.owned) await letRead(session, owned, made.roleOf('reader'));
    // Last: if a run fails earlier, the services can still connect with their old role.
    if (options.closeToOthers) await closeToOthers(session, made.database);
    const openToAll = await isOpenToAll(session);
    await session.query('commit');
    return reportOf(made, openToAll, taken);
  } finally {
    await session.end();
  }
}

const reportOf = (
  { database, roles, owned, created }: Made,
  openToAll: boolean,
  taken: ReadonlyMap<string, number>,
): DatabaseReport => ({
  database,
  openToAll,
  roles: roles.map((one) => ({
    ...one,
    schemas: owned
      .filter(({ owner }) => owner === one.role)
      .map(({ schema }) => ({ schema, created: created.has(schema), taken: taken.get(schema) ?? 0 })),
  })),
});

/** Lets the reader read current and future tables. By the owner, who need not be the administrator. */
async function letRead(session: pg.Client, { schema, owner }: OwnedSchema, reader: string): Promise<void> {
  const [of, to] = [quoted(schema), quoted(reader)];
  await session.query(`set local role ${quoted(owner)}`);
  await session.query(`grant usage on schema ${of} to ${to}`);
  await session.query(`grant select on all tables in schema ${of} to ${to}`);
  await session.query(`alter default privileges in schema ${of} grant select on tables to ${to}`);
  await session.query('reset role');
}
