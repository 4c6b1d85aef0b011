import type pg from 'pg';
import { testPool } from './test-database.ts';

/** Connections to a database that a test looks into while its server comes and goes: one that breaks is made again. */
export const lookInto = (databaseUrl: string): pg.Pool =>
  testPool(databaseUrl, { max: 2, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
