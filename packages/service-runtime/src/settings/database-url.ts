import { authorities } from './pem-text.ts';
import { madeOf } from './setting.ts';
import { url } from './variables.ts';

const checkingModes = ['require', 'verify-ca', 'verify-full'];

/**
 * The database's address. Includes its private certificate authority (`tlsca`, base64url), so that one text is enough
 * to open a session; `sessionAddress` of the package postgres extracts it.
 */
export const databaseUrl = madeOf(
  {
    given: url('DATABASE_URL', {
      meaning: 'The Postgres database, with user and password; TLS by its `sslmode`, as node-postgres reads it',
      protocols: ['postgres:', 'postgresql:'],
    }),
    ca: authorities(
      'DATABASE_TLS_CA',
      'The certificate authority that Postgres is checked against; TLS is required then',
    ),
  },
  ({ given, ca }, fault) => {
    if (ca === undefined) return given;
    const address = new URL(given);
    const mode = address.searchParams.get('sslmode');
    if (mode !== null && !checkingModes.includes(mode))
      fault('DATABASE_TLS_CA', `is given, so sslmode in DATABASE_URL must be one of ${checkingModes.join(', ')}`);
    address.searchParams.set('tlsca', Buffer.from(ca).toString('base64url'));
    return address.href;
  },
);
