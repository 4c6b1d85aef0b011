import type pg from 'pg';
import { testPool } from './test-database.ts';

/** Connections to a database that a test reads while its server restarts: broken ones are replaced. */
export const lookInto = (databaseUrl: string): pg.Pool =>
  testPool(databaseUrl, { max: 2, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
