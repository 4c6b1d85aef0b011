import pg from 'pg';

/**
 * Only roles with a grant may connect afterwards, and none may create tables in `public`. No effect unless the
 * administrator owns the database.
 */
export async function closeToOthers(session: Pick<pg.Client, 'query'>, database: string): Promise<void> {
  await session.query(`revoke all on database ${pg.escapeIdentifier(database)} from public`);
  const { rowCount: hasPublic } = await session.query(`select from pg_namespace where nspname = 'public'`);
  if (hasPublic === 1) await session.query('revoke create on schema public from public');
}

/** Whether any role of the server may connect. */
export async function isOpenToAll(session: Pick<pg.Client, 'query'>): Promise<boolean> {
  const { rows } = await session.query<{ open: boolean }>(
    `select has_database_privilege('public', current_database(), 'connect') as open`,
  );
  return rows[0]?.open === true;
}
