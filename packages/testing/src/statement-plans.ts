import pg from 'pg';
import { testSession } from './test-database.ts';

const ofMigrations = /knex_|information_schema/;

/** Keeps the texts of all statements with parameters that this process sends, from now on; those of migrations aside. */
export function recordStatements(): { texts(): string[]; stop(): void } {
  const texts = new Set<string>();
  const prototype = pg.Client.prototype as { query: (...parameters: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (...parameters) {
    const [first] = parameters;
    const text = typeof first === 'string' ? first : (first as { text?: unknown } | undefined)?.text;
    if (typeof text === 'string' && text.includes('$1') && !ofMigrations.test(text)) texts.add(text);
    return query.apply(this, parameters);
  };
  return {
    texts: () => [...texts],
    stop: () => {
      prototype.query = query;
    },
  };
}

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Join Filter'?: string;
  readonly Plans?: readonly PlanNode[];
};

/**
 * Which tables statements would read whole, or compare row by row with all they are joined with, if they were planned
 * while all tables are empty and known to be: a plan lives as long as its session, so it may have been made for empty
 * tables. Reads up to a limit, or by the index of a separate condition, are not reported (docs/hot-path.md, Plans).
 * @param options.url of a database that holds the schema; its tables are emptied
 * @returns `table: statement`, or `each with each: statement`
 */
export async function readsOfWholeTables(
  texts: readonly string[],
  options: { readonly url: string; readonly schema: string; readonly settings: string },
): Promise<string[]> {
  const { url, schema, settings } = options;
  const client = await testSession(url, { options: `-c search_path=${schema} ${settings}` });
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = $1 and tablename not like 'knex%'`,
      [schema],
    );
    await client.query(`truncate ${tables.map(({ name }) => name).join(', ')} cascade`);
    await client.query('vacuum (analyze)');
    const { rows: partial } = await client.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index where indpred is not null`,
    );
    const selective = new Set(partial.map(({ name }) => name));
    const found: string[] = [];
    for (const text of texts) {
      const whole = new Set<string>();
      collect(await planOf(client, text), false, selective, whole);
      for (const table of whole) found.push(`${table}: ${text.replaceAll(/\s+/g, ' ')}`);
    }
    return found;
  } finally {
    await client.end();
  }
}

const undefinedTable = '42P01';

/** @returns undefined for a statement of another schema */
async function planOf(client: pg.Client, text: string): Promise<PlanNode | undefined> {
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    return rows[0]?.['QUERY PLAN'][0]?.Plan;
  } catch (error) {
    if ((error as { code?: unknown }).code === undefinedTable) return undefined;
    throw error;
  }
}

function collect(
  node: PlanNode | undefined,
  limited: boolean,
  selective: ReadonlySet<string>,
  found: Set<string>,
): void {
  if (node === undefined) return;
  const index = node['Index Name'];
  const isWhole = node['Index Cond'] === undefined && !(index !== undefined && selective.has(index));
  if (isWhole && !limited && /^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(node['Node Type']))
    found.add(node['Relation Name'] ?? index ?? 'a table');
  if (node['Join Filter'] !== undefined) found.add('each with each');
  for (const child of node.Plans ?? [])
    collect(child, node['Node Type'] === 'Limit' || (limited && passesOn(node)), selective, found);
}

/** A limit above these still bounds what is read below them. */
const passesOn = (node: PlanNode): boolean => /^(LockRows|Result|Subquery Scan)$/.test(node['Node Type']);
