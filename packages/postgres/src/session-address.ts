import type { ConnectionOptions } from 'node:tls';

export type SessionAddress = {
  readonly connectionString: string;
  readonly ssl?: ConnectionOptions;
  /** Settings of the session, as Postgres takes them. */
  readonly options?: string;
};

/** Our own parameters in an address: node-postgres would treat them as server settings. */
const ours = { ca: 'tlsca', role: 'actas' } as const;

/**
 * How to reach a database: the options of every node-postgres session. The address holds a private certificate
 * authority as `tlsca` (base64url), and the role that sessions act as, as `actas`; node-postgres would prefer `sslmode`
 * to options given beside it.
 */
export function sessionAddress(url: string): SessionAddress {
  if (!Object.values(ours).some((name) => url.includes(`${name}=`))) return { connectionString: url };
  const address = new URL(url);
  const role = address.searchParams.get(ours.role);
  address.searchParams.delete(ours.role);
  const acting = role === null ? {} : { options: `-c role=${role.replaceAll(/[\s\\]/g, '\\$&')}` };
  const ca = address.searchParams.get(ours.ca);
  if (ca === null) return { connectionString: address.href, ...acting };
  const mode = address.searchParams.get('sslmode');
  for (const name of [ours.ca, 'sslmode']) address.searchParams.delete(name);
  const ssl = { ca: Buffer.from(ca, 'base64url').toString('utf8'), rejectUnauthorized: true };
  // its certificate need not be of the name by which it is reached
  const anyName = mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {};
  return { connectionString: address.href, ssl: { ...ssl, ...anyName }, ...acting };
}

/** The same address, with sessions that act as the role: their user must be a member. */
export function actingAs(url: string, role: string): string {
  const address = new URL(url);
  address.searchParams.set(ours.role, role);
  return address.href;
}
