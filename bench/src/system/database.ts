import { randomBytes } from 'node:crypto';
import pg from 'pg';

export async function inSession<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Does work in a new, empty database on a system's server, and drops it. */
export const inFreshDatabase = <Result>(
  serverUrl: string,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> =>
  inSession(serverUrl, async (admin) => {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    await admin.query(`create database ${name}`);
    try {
      const url = new URL(serverUrl);
      url.pathname = `/${name}`;
      return await work(url.href);
    } finally {
      await admin.query(`drop database ${name} with (force)`);
    }
  });
