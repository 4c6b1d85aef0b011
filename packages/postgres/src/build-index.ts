import type { Knex } from 'knex';

/**
 * Builds an index while others write: for migrations without a transaction. It waits for running transactions, and may
 * be repeated after a crash: leftovers of a killed run are dropped first. An empty table is indexed at once, so that a
 * rebuild, whose tables are new, does not wait for queries of the old ones.
 * @param definition what follows the name of the table
 */
export async function buildIndex(knex: Knex, name: string, table: string, definition: string): Promise<void> {
  const valid = await isValid(knex, name);
  if (valid === true) return;
  if (valid === false) await dropIndex(knex, name);
  const { rows } = (await knex.raw(`select exists (select from ${table}) as filled`)) as {
    rows: { filled: boolean }[];
  };
  const how = rows[0]?.filled === true ? 'concurrently ' : '';
  await knex.raw(`create index ${how}${name} on ${table} ${definition}`);
}

/** Drops an index while others write; one that is not there is fine. */
export async function dropIndex(knex: Knex, name: string): Promise<void> {
  await knex.raw(`drop index concurrently if exists ${name}`);
}

/** Replaces an index of the same name. Queries always have one of the two. */
export async function replaceIndex(knex: Knex, name: string, table: string, definition: string): Promise<void> {
  const next = `${name}_next`;
  await buildIndex(knex, next, table, definition);
  await dropIndex(knex, name);
  await knex.raw(`alter index ${next} rename to ${name}`);
}

/**
 * Builds an index of a partitioned table, partition by partition. The table itself is locked only to attach the index,
 * which waits for its writers and reads nothing.
 * @param columns in parentheses
 */
export async function buildPartitionedIndex(knex: Knex, name: string, table: string, columns: string): Promise<void> {
  if ((await isValid(knex, name)) === true) return;
  await knex.raw(`create index if not exists ${name} on only ${table} ${columns}`);
  const { rows } = (await knex.raw(
    `select c.relname as partition from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = (select oid from pg_class where relname = ? and relnamespace = ${ownSchema}) order by c.oid`,
    [table],
  )) as { rows: { partition: string }[] };
  for (const { partition } of rows) {
    const part = `${partition}${name.slice(table.length)}`;
    await buildIndex(knex, part, partition, columns);
    await knex.raw(`alter index ${name} attach partition ${part}`);
  }
}

const ownSchema = '(select oid from pg_namespace where nspname = current_schema())';

/** Whether the index can be used; undefined when there is none of this name. */
async function isValid(knex: Knex, name: string): Promise<boolean | undefined> {
  const { rows } = (await knex.raw(
    `select i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname = ? and c.relnamespace = ${ownSchema}`,
    [name],
  )) as { rows: { valid: boolean }[] };
  return rows[0]?.valid;
}
