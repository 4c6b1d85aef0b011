import { type GrownStamps, grownFacts, grownStamps } from '../../../services/stamping/seeds/grown-stamps.ts';
import { grownCommitments } from '../../../services/verification/seeds/seeded-commitments.ts';
import { inSession } from './database.ts';

/** Statements that run at the same time. */
const atOnce = 2;
/** Tables with a row per stamp, largest first. */
const filledTables = ['stamping.events', 'stamping.stamps', 'verification.commitments', 'stamping.inbox'];
const grownTables = [...filledTables, 'stamping.batches', 'stamping.transactions'];

/**
 * Writes stamps straight into the tables of the services that keep them. Nothing may be stamped meanwhile: indexes are
 * rebuilt afterwards, which is many times faster than row by row.
 */
export async function growStamps(databaseUrl: string, stamps: GrownStamps, signal: AbortSignal): Promise<void> {
  const { prepare, write, done } = grownStamps(stamps);
  const indexes = await runGroups(databaseUrl, [[indexStatements]], signal);
  const [drop, build, refer] = (['drop', 'build', 'refer'] as const).map((kind) =>
    indexes.filter((one) => one.kind === kind),
  );
  const ofTables = Map.groupBy(build ?? [], ({ table }) => table).values();
  const textsOf = (statements: Iterable<IndexStatement> = []): string[] => [...statements].map(({ text }) => text);
  await runGroups(databaseUrl, [[...prepare, ...textsOf(drop)]], signal);
  const commitments = grownCommitments(stamps.account, stamps.chainId, grownFacts);
  await runGroups(databaseUrl, [...write, [commitments]], signal);
  await runGroups(databaseUrl, [...ofTables].map(textsOf), signal);
  await runGroups(databaseUrl, [[...textsOf(refer), ...done]], signal);
}

type IndexStatement = { readonly kind: 'drop' | 'build' | 'refer'; readonly table: string; readonly text: string };

/** How the indexes of the filled tables are dropped and rebuilt: foreign keys that refer to them go first and come last. */
const indexStatements = `
  with filled as (select unnest(array[${filledTables.map((table) => `'${table}'`).join(', ')}])::regclass as id),
  made as (
    select conrelid::regclass::text as "table", contype <> 'f' as own,
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as build
    from pg_constraint
    where conparentid = 0 and (contype in ('p', 'u') and conrelid in (select id from filled)
      or contype = 'f' and (confrelid in (select id from filled) or conrelid in (select id from filled)))
    union all
    select indrelid::regclass::text, true, format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index i
    where indrelid in (select id from filled) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
  )
  select 'drop' as kind, "table", drop as text, own from made
  union all select case when own then 'build' else 'refer' end, "table", build, own from made
  order by own, text`;

/**
 * Runs groups of long statements, each group in order. @returns all rows; stops before the next statement when the
 * signal aborts
 */
async function runGroups(
  databaseUrl: string,
  groups: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<IndexStatement[]> {
  const waiting = [...groups];
  const found: IndexStatement[] = [];
  const work = (): Promise<void> =>
    inSession(databaseUrl, async (client) => {
      await client.query(`set maintenance_work_mem = '768MB'; set synchronous_commit = off`);
      for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
        for (const statement of group) {
          signal.throwIfAborted();
          found.push(...(await client.query<IndexStatement>(statement)).rows);
        }
    });
  await Promise.all(Array.from({ length: atOnce }, work));
  return found;
}

/** Updates statistics, vacuums and makes a checkpoint. */
export const settleStores = (databaseUrl: string): Promise<void> =>
  inSession(databaseUrl, async (client) => {
    await client.query(`vacuum (analyze) ${grownTables.join(', ')}`);
    await client.query('checkpoint');
  });
