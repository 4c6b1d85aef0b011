import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { testAddress } from './environment.ts';

/** A database of one test file's own. */
export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** At most five connections; ended by `drop`. */
  readonly pool: pg.Pool;
  /** Ends the pool and drops the database, even while others are connected to it, and the roles that are named after it. */
  drop(): Promise<void>;
}

/** A database that many are copied from. A change of what `create` does needs another `name`: an existing one is used as it is. */
export interface DatabaseTemplate {
  /** Lower-case letters, digits and underscores. */
  readonly name: string;
  create(url: string): Promise<void>;
}

/** A template that migrations make. It is named by what they do: a changed one makes a new template. */
export function migratedTemplate(
  schema: string,
  migrations: readonly { readonly name: string; readonly up: unknown }[],
  migrate: (url: string) => Promise<unknown>,
): DatabaseTemplate {
  const text = migrations.map(({ name, up }) => `${name} ${up}`).join();
  return {
    name: `${schema}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`,
    create: async (url) => void (await migrate(url)),
  };
}

/** Creates an empty database, or a copy of the template, which is made at the first call for it. The role may do everything. */
export async function testDatabase(options: { template?: DatabaseTemplate } = {}): Promise<TestDatabase> {
  const serverUrl = testAddress('databaseUrl');
  const template = options.template === undefined ? undefined : await provideTemplate(serverUrl, options.template);
  const name = `test_${process.pid}_${randomBytes(5).toString('hex')}`;
  await withClient(serverUrl, (client) =>
    client.query(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`),
  );
  const url = withDatabase(serverUrl, name);
  const pool = testPool(url);
  let dropped: Promise<void> | undefined;
  const drop = async () => {
    await pool.end();
    await withClient(serverUrl, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      // roles belong to the whole server: those of an installation are named after its database
      const { rows } = await client.query<{ role: string }>(
        'SELECT rolname AS role FROM pg_roles WHERE starts_with(rolname, $1)',
        [`${name}_`],
      );
      const roles = rows.map(({ role }) => pg.escapeIdentifier(role));
      // at once: one may have granted another
      if (roles.length > 0) await client.query(`DROP ROLE ${roles.join(', ')}`);
    });
  };
  return {
    url,
    name,
    pool,
    drop: () => {
      dropped ??= drop();
      return dropped;
    },
  };
}

/** At most five connections; one that breaks rejects its statement and is replaced. */
export function testPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 5, ...options });
  pool.on('error', () => {});
  pool.on('connect', (session) => session.on('error', () => {}));
  return pool;
}

/** A connected session; when it breaks, its next statement rejects. `end` it. */
export async function testSession(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000, ...options });
  session.on('error', () => {});
  await session.connect();
  return session;
}

/** Makes the template under a lock of the server's, so that test files running side by side make it once. */
async function provideTemplate(serverUrl: string, template: DatabaseTemplate): Promise<string> {
  const name = templateDatabase(template);
  if (!/^[a-z0-9_]{1,63}$/.test(name)) throw new Error(`not a name for a template: ${template.name}`);
  await withClient(serverUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    const part = `${name}_${randomBytes(4).toString('hex')}`.slice(-63);
    await client.query(`CREATE DATABASE ${part}`);
    try {
      await template.create(withDatabase(serverUrl, part));
      await client.query(`ALTER DATABASE ${part} RENAME TO ${name}`);
    } catch (error) {
      await client.query(`DROP DATABASE IF EXISTS ${part} WITH (FORCE)`);
      throw error;
    }
  });
  return name;
}

/** For a template that no later run uses: its name is of one run. */
export const dropTemplate = (template: DatabaseTemplate): Promise<unknown> =>
  withClient(testAddress('databaseUrl'), (client) =>
    client.query(`DROP DATABASE IF EXISTS ${templateDatabase(template)} WITH (FORCE)`),
  );

const templateDatabase = ({ name }: DatabaseTemplate): string => `template_${name}`;

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await testSession(url);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
