import pg from 'pg';

type Session = Pick<pg.Client, 'query'>;

/** What became of a schema: `taken` counts it and what is in it, as far as it belonged to another role. */
export type SchemaReport = { readonly schema: string; readonly created: boolean; readonly taken: number };

const quoted = (name: string): string => pg.escapeIdentifier(name);

/** Makes the schema with this owner, or gives it, and whatever is in it, to this owner: one that was made by a role for all. */
export async function takeSchema(session: Session, schema: string, owner: string): Promise<SchemaReport> {
  const created = (await ownerOf(session, schema)) === undefined;
  if (created) await session.query(`create schema ${quoted(schema)} authorization ${quoted(owner)}`);
  let taken = 0;
  // a rebuild that was killed has left schemas that the next one removes
  for (const name of [schema, `${schema}_rebuild`, `${schema}_retired`]) taken += await takeAll(session, name, owner);
  return { schema, created, taken };
}

async function ownerOf(session: Session, schema: string): Promise<string | undefined> {
  const { rows } = await session.query<{ owner: string }>(
    'select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = $1',
    [schema],
  );
  return rows[0]?.owner;
}

async function takeAll(session: Session, schema: string, owner: string): Promise<number> {
  const before = await ownerOf(session, schema);
  if (before === undefined) return 0;
  const { rows } = await session.query<{ kind: string; name: string }>(foreignObjects, [schema, owner]);
  const statements = rows.map(({ kind, name }) => `alter ${kind} ${name} owner to ${quoted(owner)}`);
  if (before !== owner) statements.unshift(`alter schema ${quoted(schema)} owner to ${quoted(owner)}`);
  for (const statement of statements) await session.query(statement);
  return statements.length;
}

/** What is in a schema and belongs to another role. Indexes, and the sequences of columns, go with their tables; the types of tables, too. */
const foreignObjects = `
  select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
           when 'f' then 'foreign table' else 'table' end as kind,
         c.oid::regclass::text as name
    from pg_class c
   where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relkind = any ('{r,p,v,m,S,f}')
     and c.relowner <> quote_ident($2)::regrole
     and not (c.relkind = 'S' and exists (select from pg_depend d
               where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')))
  union all
  select 'routine', p.oid::regprocedure::text from pg_proc p
   where p.pronamespace = to_regnamespace(quote_ident($1)) and p.proowner <> quote_ident($2)::regrole
  union all
  select 'type', t.oid::regtype::text from pg_type t
   where t.typnamespace = to_regnamespace(quote_ident($1)) and t.typowner <> quote_ident($2)::regrole
     and (t.typtype in ('e', 'd', 'r') or exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))`;
