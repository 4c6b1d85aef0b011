import { type ServiceName, serviceNames } from './service-names.ts';

/** Who logs in to the database: each service, `operator` (commands that write), and `reader` (`status`, `doctor`, backups of tables). */
export const databaseUsers = [...serviceNames, 'operator', 'reader'] as const;
export type DatabaseUser = (typeof databaseUsers)[number];

/** The schemas that a service's role owns: it creates their tables, and cannot access others. */
export const schemasOf: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: ['accounts', 'gateway'],
  stamping: ['stamping'],
  'chain-indexer': ['chain'],
  storage: ['storage'],
  verification: ['verification'],
  notifications: ['notifications'],
};

/**
 * Rights on the database itself, besides connecting: a rebuild creates temporary schemas, and verification spools lists
 * into temporary tables.
 */
export const databaseRightsOf: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  gateway: ['create'],
  verification: ['create', 'temporary'],
};

/** @param prefix of all roles of an installation: they belong to the whole server, where its database is not the only one */
export const roleOf = (prefix: string, user: DatabaseUser): string => `${prefix}${user.replaceAll('-', '_')}`;

/** The default prefix of roles: the database's name. */
export const usualRolePrefix = (database: string): string => `${database}_`;

/** The address by which a role reaches the database of `url`; all else of the address stays. */
export function addressOf(url: string, role: string, password: string): string {
  const address = new URL(url);
  address.username = role;
  address.password = encodeURIComponent(password);
  return address.href;
}
