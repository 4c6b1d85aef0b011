import pg from 'pg';
import { scramVerifier } from './scram-verifier.ts';

/**
 * The given role lacks rights, or an existing one has too many: nothing was changed. Or an object in use was not taken
 * over.
 */
export class DatabaseProvisionError extends Error {
  override readonly name = 'DatabaseProvisionError';
  readonly retryable: boolean;

  readonly reason: 'may create no roles' | 'invalid name' | 'role may do too much' | 'may not take over' | 'in use';

  constructor(reason: DatabaseProvisionError['reason'], message: string) {
    super(message);
    this.reason = reason;
    this.retryable = reason === 'in use';
  }
}

const quoted = (name: string): string => pg.escapeIdentifier(name);

/** @returns whether it was created. @throws DatabaseProvisionError when it exists with too many rights */
export async function provideRole(
  session: Pick<pg.Client, 'query'>,
  given: { readonly role: string; readonly password: string | undefined; readonly memberOf: readonly string[] },
): Promise<boolean> {
  const { role, password } = given;
  const { rows } = await session.query<{ powerful: boolean; others: string[] }>(
    `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as powerful,
       array(select pg_get_userbyid(roleid)::text from pg_auth_members
              where member = r.oid and pg_get_userbyid(roleid) <> all ($2::text[])) as others
       from pg_roles r where rolname = $1`,
    [role, given.memberOf],
  );
  const [found] = rows;
  if (found?.powerful)
    throw new DatabaseProvisionError(
      'role may do too much',
      `role ${role} may do more than log in: take SUPERUSER, CREATEROLE, CREATEDB, REPLICATION and BYPASSRLS from it`,
    );
  if (found !== undefined && found.others.length > 0)
    throw new DatabaseProvisionError(
      'role may do too much',
      `role ${role} is a member of ${found.others.join(', ')}: revoke that`,
    );
  if (found === undefined) await session.query(`create role ${quoted(role)} login`);
  if (password !== undefined) {
    const verifier = pg.escapeLiteral(await scramVerifier(password));
    await session.query(`alter role ${quoted(role)} login password ${verifier}`);
  }
  return found === undefined;
}
