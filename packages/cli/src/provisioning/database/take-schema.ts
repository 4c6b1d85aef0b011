import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseProvisionError } from './provide-role.ts';

type Session = Pick<pg.Client, 'query'>;

/** A schema and the role that owns it and its objects. */
export type OwnedSchema = { readonly schema: string; readonly owner: string };

const quoted = (name: string): string => pg.escapeIdentifier(name);

/**
 * How long others may queue behind a change of owner that waits for a table in use; then it yields and retries. Longer
 * than Postgres' deadlock_timeout (1 s), after which a blocking autovacuum is cancelled.
 */
const lockTimeoutMs = 2_000;
const pauseMs = 1_000;

/** @returns whether it was made */
export async function createSchema(session: Session, { schema, owner }: OwnedSchema): Promise<boolean> {
  const { rowCount } = await session.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await session.query(`create schema ${quoted(schema)} authorization ${quoted(owner)}`);
  return rowCount === 0;
}

/** How much of the schema, itself included, belongs to another role. */
export async function countForeign(session: Session, owned: OwnedSchema): Promise<number> {
  return (await listForeign(session, owned)).length;
}

/** @throws DatabaseProvisionError when something belongs to a role for which the administrator may not act */
export async function checkMayTake(session: Session, owned: OwnedSchema): Promise<void> {
  const object = (await listForeign(session, owned)).find(({ mayTake }) => !mayTake);
  if (object !== undefined)
    throw new DatabaseProvisionError(
      'may not take over',
      `the role of DATABASE_URL may not take over ${object.kind} ${object.name} of role ${object.owner}: use a superuser, or grant it ${object.owner}`,
    );
}

/**
 * Gives schemas created by one role for all, and their objects, to their owners. Each object has its own transaction,
 * so that running services wait for one table at a time, two seconds at most; objects in use are retried after all
 * others. May be stopped and run again.
 * @returns by schema, how many objects changed their owner
 * @throws DatabaseProvisionError when something is in use, or listed but not found, for longer than `waitMs`
 */
export async function takeSchemas(
  session: Session,
  schemas: readonly OwnedSchema[],
  waitMs: number,
): Promise<ReadonlyMap<string, number>> {
  await session.query(`set lock_timeout = ${lockTimeoutMs}`);
  const deadline = performance.now() + waitMs;
  const taken = new Map<string, number>();
  for (;;) {
    const inUse: ForeignObject[] = [];
    const gone: ForeignObject[] = [];
    let found = 0;
    let tookAny = false;
    for (const owned of schemas)
      for (const object of await listForeign(session, owned)) {
        found++;
        const outcome = await take(session, object, owned.owner);
        if (outcome === 'in use') inUse.push(object);
        if (outcome === 'gone') gone.push(object);
        if (outcome !== 'taken') continue;
        tookAny = true;
        taken.set(owned.schema, (taken.get(owned.schema) ?? 0) + 1);
      }
    // A running service may have created more meanwhile.
    if (found === 0) return taken;
    const [first] = inUse;
    if (first === undefined && tookAny) continue;
    if (performance.now() >= deadline)
      throw new DatabaseProvisionError(
        'in use',
        first === undefined
          ? `${gone[0]?.name} is listed and cannot be found: others make and remove it all the time. Run this again`
          : await reasonOf(session, first, inUse.length),
      );
    await delay(pauseMs);
  }
}

type ForeignObject = {
  readonly kind: string;
  readonly name: string;
  readonly oid: number;
  readonly owner: string;
  /** Whether the administrator has the rights of its owner. */
  readonly mayTake: boolean;
};

const lockNotAvailable = ['55P03', '40P01'];
/** Of tables, routines, types and schemas. */
const undefinedCodes = ['42P01', '42883', '42704', '3F000'];

async function take(session: Session, object: ForeignObject, owner: string): Promise<'taken' | 'in use' | 'gone'> {
  try {
    await session.query(`alter ${object.kind} ${object.name} owner to ${quoted(owner)}`);
    return 'taken';
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (lockNotAvailable.includes(code)) return 'in use';
    if (undefinedCodes.includes(code)) return 'gone';
    throw error;
  }
}

/** Its longest user; only a superuser sees the times of other roles' sessions. */
async function reasonOf(session: Session, { name, oid }: ForeignObject, count: number): Promise<string> {
  const { rows } = await session.query<{ pid: number; application: string; seconds: number | null }>(
    `select a.pid, a.application_name as application, extract(epoch from now() - a.xact_start)::int as seconds
       from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'relation' and l.relation = $1 and l.granted and l.pid <> pg_backend_pid()
        and l.database = (select oid from pg_database where datname = current_database())
      order by a.xact_start limit 1`,
    [oid],
  );
  const [user] = rows;
  const open = user?.seconds == null ? '' : `, open for ${user.seconds} s`;
  const by = user === undefined ? '' : ` by a transaction of '${user.application}' (process ${user.pid})${open}`;
  const others = count === 1 ? '' : `, and so are ${count - 1} more`;
  return `${name} is in use${by}${others}: end it, and run this again; all else was taken over`;
}

/**
 * The schema before its contents, whose owner must be able to create there. The next rebuild removes the leftover
 * schemas of a killed one.
 */
async function listForeign(session: Session, { schema, owner }: OwnedSchema): Promise<readonly ForeignObject[]> {
  const objects: ForeignObject[] = [];
  for (const name of [schema, `${schema}_rebuild`, `${schema}_retired`])
    objects.push(...(await session.query<ForeignObject>(foreignObjects, [name, owner])).rows);
  return objects;
}

/**
 * Objects of a schema that belong to another role. Indexes, and the sequences of columns, go with their tables; the
 * types of tables, too.
 */
const foreignObjects = `
  select kind, name, oid, pg_get_userbyid(owner)::text as owner, pg_has_role(owner, 'usage') as "mayTake" from (
  select 'schema' as kind, quote_ident(nspname) as name, oid, nspowner as owner from pg_namespace
   where nspname = $1 and nspowner <> quote_ident($2)::regrole
  union all
  select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
           when 'f' then 'foreign table' else 'table' end,
         c.oid::regclass::text, c.oid, c.relowner
    from pg_class c
   where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relkind = any ('{r,p,v,m,S,f}')
     and c.relowner <> quote_ident($2)::regrole
     and not (c.relkind = 'S' and exists (select from pg_depend d
               where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')))
  union all
  select 'routine', p.oid::regprocedure::text, p.oid, p.proowner from pg_proc p
   where p.pronamespace = to_regnamespace(quote_ident($1)) and p.proowner <> quote_ident($2)::regrole
  union all
  select 'type', t.oid::regtype::text, t.oid, t.typowner from pg_type t
   where t.typnamespace = to_regnamespace(quote_ident($1)) and t.typowner <> quote_ident($2)::regrole
     and (t.typtype in ('e', 'd', 'r') or exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
  ) as o order by kind <> 'schema', oid`;
