import { sessionAddress } from '@indelible/postgres';
import pg from 'pg';
import {
  type DatabaseUser,
  databaseRightsOf,
  databaseUsers,
  roleOf,
  schemasOf,
  usualRolePrefix,
} from './database-users.ts';
import { DatabaseProvisionError, provideRole } from './provide-role.ts';
import { serviceNames } from './service-names.ts';
import { type SchemaReport, takeSchema } from './take-schema.ts';

export type RoleReport = {
  readonly user: DatabaseUser;
  readonly role: string;
  readonly created: boolean;
  /** Left as it is where none was given. */
  readonly password: 'set' | 'left';
  readonly schemas: readonly SchemaReport[];
};

export type DatabaseReport = {
  readonly database: string;
  /** The administrator does not own the database, so any role of the server may still connect. */
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
  /** Does it all, and takes it back. */
  readonly dryRun?: boolean;
};

const quoted = (name: string): string => pg.escapeIdentifier(name);
const longestName = 63;

/**
 * Makes a role for each user of the database, which owns its schemas and reaches no other, in one transaction. What is there
 * is left as it is, but for passwords that are given; schemas of an installation with one role for all change their owner.
 * @throws DatabaseProvisionError, or what Postgres refuses
 */
export async function provideDatabase(options: DatabaseOptions): Promise<DatabaseReport> {
  const session = new pg.Client({ ...sessionAddress(options.url), application_name: 'provision database' });
  await session.connect();
  try {
    await session.query('begin');
    await session.query(`select pg_advisory_xact_lock(hashtextextended('provision database', 0))`);
    // names of objects come with their schema; and services that run are not held up by a lock that this waits for
    await session.query(`set local search_path = pg_catalog; set local lock_timeout = '10s'`);
    const report = await provideAll(session, options);
    await session.query(options.dryRun ? 'rollback' : 'commit');
    return report;
  } finally {
    await session.end();
  }
}

async function provideAll(session: pg.Client, options: DatabaseOptions): Promise<DatabaseReport> {
  const admin = await readAdministrator(session);
  const prefix = options.rolePrefix ?? usualRolePrefix(admin.database);
  const role = (user: DatabaseUser): string => roleOf(prefix, user);
  const tooLong = databaseUsers.find((user) => Buffer.byteLength(role(user)) > longestName);
  if (tooLong !== undefined)
    throw new DatabaseProvisionError('invalid name', `the name of role ${role(tooLong)} is too long`);
  const roles: RoleReport[] = [];
  for (const user of databaseUsers) {
    const allowed = user === 'operator' ? serviceNames.map(role) : [];
    const password = options.passwords[user];
    const created = await provideRole(session, { role: role(user), password, memberOf: allowed });
    roles.push({ user, role: role(user), created, password: password === undefined ? 'left' : 'set', schemas: [] });
  }
  const database = quoted(admin.database);
  await session.query(`revoke all on database ${database} from public`);
  const { rowCount: hasPublic } = await session.query(`select from pg_namespace where nspname = 'public'`);
  if (hasPublic === 1) await session.query('revoke create on schema public from public');
  await session.query(`grant connect on database ${database} to ${roles.map((one) => quoted(one.role)).join(', ')}`);
  const taken = new Map<DatabaseUser, readonly SchemaReport[]>();
  for (const service of serviceNames) {
    const own = role(service);
    // who is no superuser acts for a role by being its member
    if (!admin.superuser) await session.query(`grant ${quoted(own)} to current_user`);
    for (const right of databaseRightsOf[service] ?? [])
      await session.query(`grant ${right} on database ${database} to ${quoted(own)}`);
    const schemas: SchemaReport[] = [];
    for (const schema of schemasOf[service]) schemas.push(await takeSchema(session, schema, own));
    taken.set(service, schemas);
    await session.query(`grant ${quoted(own)} to ${quoted(role('operator'))}`);
    await letRead(session, { owner: own, schemas: schemasOf[service], reader: role('reader') });
  }
  const { rows } = await session.query<{ open: boolean }>(
    `select has_database_privilege('public', current_database(), 'connect') as open`,
  );
  return {
    database: admin.database,
    openToAll: rows[0]?.open === true,
    roles: roles.map((one) => ({ ...one, schemas: taken.get(one.user) ?? [] })),
  };
}

async function readAdministrator(session: pg.Client) {
  const { rows } = await session.query<{ name: string; database: string; superuser: boolean; may: boolean }>(
    `select rolname as name, current_database() as database, rolsuper as superuser, rolsuper or rolcreaterole as may
       from pg_roles where rolname = current_user`,
  );
  const [admin] = rows;
  if (admin === undefined || !admin.may)
    throw new DatabaseProvisionError(
      'may create no roles',
      `role ${admin?.name} of DATABASE_URL may create no roles: give it CREATEROLE`,
    );
  return admin;
}

/** The reader may read what is in the schemas and what will be. By the owner, who need not be the administrator. */
async function letRead(
  session: pg.Client,
  { owner, schemas, reader }: { readonly owner: string; readonly schemas: readonly string[]; readonly reader: string },
): Promise<void> {
  await session.query(`set local role ${quoted(owner)}`);
  for (const schema of schemas.map(quoted)) {
    await session.query(`grant usage on schema ${schema} to ${quoted(reader)}`);
    await session.query(`grant select on all tables in schema ${schema} to ${quoted(reader)}`);
    await session.query(`alter default privileges in schema ${schema} grant select on tables to ${quoted(reader)}`);
  }
  await session.query('reset role');
}
