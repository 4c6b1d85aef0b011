import type { Client, Database } from '@indelible/postgres';
import { dayMs, dayOfName, nameOf } from './inbox-day.ts';
import { daysAround, isOlderThan, statementsOfDay } from './inbox-days.ts';

/**
 * How long a handled message is remembered. Later redelivery does not happen: committed offsets, relay cursors and
 * dead-letter replays are far younger.
 */
const rememberedMs = 30 * dayMs;
/** Partitions are created a week before their first message: failures meanwhile cost nothing. */
const daysAhead = 7;
/** Others queue behind a lock request: no longer than this. */
const lockTimeoutMs = 1_000;
const rowsAtOnce = 10_000;

export type Tended = { readonly created: number; readonly dropped: number; readonly forgotten: number };

/**
 * Creates the partitions of coming days and drops old ones: a whole day at once, when none of its messages was handled
 * within the remembered time. Rows without a day are deleted one by one. Any replica may run it at any time; one does.
 * Nothing stops without it: messages of a day without a partition go to `inbox_default`.
 * @throws what Postgres throws, also when a lock is not acquired in time: retry
 */
export async function tendInbox(
  database: Pick<Database, 'query' | 'transaction'>,
  now: number,
  signal?: AbortSignal,
): Promise<Tended> {
  const there = await daysOf(database);
  const wanted = daysAround(now, 1, daysAhead).filter((day) => !there.includes(day));
  const old = there.filter((day) => isOlderThan(day, now, rememberedMs));
  const before = new Date(now - rememberedMs);
  let [created, dropped, forgotten] = [0, 0, 0];
  for (const day of wanted) if (await alone(database, (client) => createDay(client, day))) created += 1;
  for (const day of old) if (await alone(database, (client) => dropDay(client, day, before))) dropped += 1;
  for (const table of ['inbox_default', 'inbox_without_time'])
    for (let rows = rowsAtOnce; rows === rowsAtOnce && signal?.aborted !== true; forgotten += rows)
      rows = await forget(database, table, before);
  return { created, dropped, forgotten };
}

async function daysOf(database: Pick<Database, 'query'>): Promise<readonly number[]> {
  const { rows } = await database.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass('inbox')`,
  );
  return rows.flatMap(({ name }) => dayOfName(name) ?? []);
}

/** Changes the inbox's partitions, unless another replica is doing so; returns whether anything changed. */
function alone(
  database: Pick<Database, 'transaction'>,
  change: (client: Client) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction(async (client) => {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    const { rows } = await client.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('inbox of ' || current_schema(), 0)) as held`,
    );
    return rows[0]?.held === true && (await change(client));
  });
}

const isThere = async (client: Client, day: number): Promise<boolean> => {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [nameOf(day)]);
  return rows[0]?.there === true;
};

async function createDay(client: Client, day: number): Promise<boolean> {
  if (await isThere(client, day)) return false;
  for (const statement of statementsOfDay(day)) await client.query(statement);
  return true;
}

async function dropDay(client: Client, day: number, before: Date): Promise<boolean> {
  if (!(await isThere(client, day))) return false;
  const table = nameOf(day);
  const handledSince = async (): Promise<boolean> => {
    const { rowCount } = await client.query(`select from ${table} where handled_at >= $1 limit 1`, [before]);
    return rowCount !== 0;
  };
  // First without the lock: a day with a late last message is kept longer, and checked every hour.
  if (await handledSince()) return false;
  await client.query('lock table inbox in access exclusive mode');
  if (await handledSince()) return false;
  await client.query(`drop table ${table}`);
  return true;
}

async function forget(database: Pick<Database, 'query'>, table: string, before: Date): Promise<number> {
  const { rowCount } = await database.query(
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} where handled_at < $1 order by handled_at limit $2))`,
    [before, rowsAtOnce],
  );
  return rowCount ?? 0;
}
