import type { ConnectionOptions } from 'node:tls';

export type SessionAddress = { readonly connectionString: string; readonly ssl?: ConnectionOptions };

/**
 * How to reach a database: what every session of node-postgres is opened with. A certificate authority of its own is in the address
 * as `tlsca` (base64url); node-postgres would take it for a setting of the server, and what `sslmode` says over what is given beside it.
 */
export function sessionAddress(url: string): SessionAddress {
  if (!url.includes('tlsca=')) return { connectionString: url };
  const address = new URL(url);
  const ca = address.searchParams.get('tlsca');
  if (ca === null) return { connectionString: url };
  const mode = address.searchParams.get('sslmode');
  for (const name of ['tlsca', 'sslmode']) address.searchParams.delete(name);
  const ssl = { ca: Buffer.from(ca, 'base64url').toString('utf8'), rejectUnauthorized: true };
  // its certificate need not be of the name by which it is reached
  const anyName = mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {};
  return { connectionString: address.href, ssl: { ...ssl, ...anyName } };
}
