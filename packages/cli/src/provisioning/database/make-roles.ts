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
import { createSchema, type OwnedSchema } from './take-schema.ts';

export type MadeRole = {
  readonly user: DatabaseUser;
  readonly role: string;
  readonly created: boolean;
  /** Left as it is where none was given. */
  readonly password: 'set' | 'left';
};

export type Made = {
  readonly database: string;
  readonly roles: readonly MadeRole[];
  readonly roleOf: (user: DatabaseUser) => string;
  /** By role; some of their objects may still belong to another. */
  readonly owned: readonly OwnedSchema[];
  readonly created: ReadonlySet<string>;
};

const quoted = (name: string): string => pg.escapeIdentifier(name);
const longestName = 63;

/** Makes roles, their rights, and schemas that are missing, in the caller's transaction. @throws DatabaseProvisionError */
export async function makeRoles(
  session: pg.Client,
  options: {
    readonly rolePrefix?: string;
    readonly passwords: Readonly<Partial<Record<DatabaseUser, string | undefined>>>;
  },
): Promise<Made> {
  const admin = await readAdministrator(session);
  const prefix = options.rolePrefix ?? usualRolePrefix(admin.database);
  const role = (user: DatabaseUser): string => roleOf(prefix, user);
  const tooLong = databaseUsers.find((user) => Buffer.byteLength(role(user)) > longestName);
  if (tooLong !== undefined)
    throw new DatabaseProvisionError('invalid name', `the name of role ${role(tooLong)} is too long`);
  const roles: MadeRole[] = [];
  for (const user of databaseUsers) {
    const allowed = user === 'operator' ? serviceNames.map(role) : [];
    const password = options.passwords[user];
    const created = await provideRole(session, { role: role(user), password, memberOf: allowed });
    roles.push({ user, role: role(user), created, password: password === undefined ? 'left' : 'set' });
  }
  const database = quoted(admin.database);
  await session.query(`grant connect on database ${database} to ${roles.map((one) => quoted(one.role)).join(', ')}`);
  const owned: OwnedSchema[] = [];
  const created = new Set<string>();
  for (const service of serviceNames) {
    const owner = role(service);
    // only members of a role, and superusers, may act for it
    if (!admin.superuser) await session.query(`grant ${quoted(owner)} to current_user`);
    for (const right of databaseRightsOf[service] ?? [])
      await session.query(`grant ${right} on database ${database} to ${quoted(owner)}`);
    for (const schema of schemasOf[service]) {
      owned.push({ schema, owner });
      if (await createSchema(session, { schema, owner })) created.add(schema);
    }
    await session.query(`grant ${quoted(owner)} to ${quoted(role('operator'))}`);
  }
  return { database: admin.database, roles, roleOf: role, owned, created };
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
