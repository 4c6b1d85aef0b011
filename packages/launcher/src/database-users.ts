import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  addressOf,
  DatabaseProvisionError,
  type DatabaseUser,
  databaseUsers,
  provideDatabase,
  type ServiceName,
} from '@indelible/cli/provisioning';
import { keptState } from './kept-state.ts';

/** Each service's database address, with the role that owns its schemas. */
export type DatabaseUrls = Readonly<Record<ServiceName, string>>;

/**
 * A role for each service, with passwords created at the first start and kept in a private file of this user. With a
 * given database whose role may create no roles, all services use that role.
 */
export async function provideDatabaseUsers(
  url: string,
  secretsDir: string,
  options: { readonly closeToOthers: boolean },
): Promise<{ readonly value: DatabaseUrls; readonly detail: string }> {
  const kept = keptState<Partial<Record<DatabaseUser, string>>>(join(secretsDir, 'database-passwords.json'));
  const known = (await kept.read()) ?? {};
  const passwords = Object.fromEntries(
    databaseUsers.map((user) => [user, known[user] ?? randomBytes(24).toString('base64url')]),
  ) as Record<DatabaseUser, string>;
  await kept.write(passwords);
  try {
    const { roles } = await provideDatabase({ url, passwords, ...options });
    const urls = roles.map(({ user, role }) => [user, addressOf(url, role, passwords[user])] as const);
    const taken = roles.flatMap(({ schemas }) => schemas).some((schema) => !schema.created && schema.taken > 0);
    return {
      value: Object.fromEntries(urls) as Record<DatabaseUser, string>,
      detail: taken ? 'one for each service, which owns its tables now' : 'one for each service',
    };
  } catch (error) {
    if (!(error instanceof DatabaseProvisionError) || error.reason !== 'may create no roles') throw error;
    return {
      value: Object.fromEntries(databaseUsers.map((user) => [user, url])) as Record<DatabaseUser, string>,
      detail: 'one for all services: that of DATABASE_URL may create none',
    };
  }
}
