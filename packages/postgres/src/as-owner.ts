import pg from 'pg';
import { actingAs, sessionAddress } from './session-address.ts';

/**
 * An address whose sessions act as the owner of the schema, so that its service can use what they create, even if an
 * operator or administrator connects. Unchanged for the owner's own address, and without such a schema.
 */
export async function asOwner(url: string, schema: string): Promise<string> {
  const session = new pg.Client({
    ...sessionAddress(url),
    application_name: `owner of ${schema}`,
    connectionTimeoutMillis: 5_000,
  });
  // The next statement reports its end.
  session.on('error', () => {});
  await session.connect();
  try {
    const { rows } = await session.query<{ owner: string }>(
      `select pg_get_userbyid(nspowner) as owner from pg_namespace
        where nspname = $1 and pg_get_userbyid(nspowner) <> current_user`,
      [schema],
    );
    const [other] = rows;
    return other === undefined ? url : actingAs(url, other.owner);
  } finally {
    await session.end();
  }
}
