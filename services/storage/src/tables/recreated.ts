import { arrayOf, type Client, type Database } from '@indelible/postgres';

/** A recreated record with a stored file, and the stamp its commitment turned out to be. */
export type Twin = { readonly recreated: string; readonly stampId: string };

/** One of the requested stamps, to compare others with. */
const requested = `select * from stamps where stamp_id = requested.id limit 1`;
const sameCommitment = ['object_cid', 'account', 'set_cid', 'chain_id', 'transaction_hash', 'log_index']
  .map((column) => `s.${column} = r.${column}`)
  .join(' and ');
/** The recreated record has a stored file, and the stamp has neither a file nor pending content. */
const adoptable = `
  cross join lateral (select from files where stamp_id = r.stamp_id and status = 'success' limit 1) as stored
  left join lateral (select true as found from files where stamp_id = s.stamp_id and status <> 'failed' limit 1) as f on true
  left join lateral (select true as found from staged where stamp_id = s.stamp_id limit 1) as c on true`;

/** Each look-up continues with the previous one's result: nearly always nothing. */
const queries = {
  stamps: {
    name: 'twins-of-stamps',
    text: `select r.stamp_id as recreated, s.stamp_id as "stampId"
           from unnest($1::uuid[]) as requested (id)
           cross join lateral (${requested}) as s
           cross join lateral (
             select * from stamps r where r.recreated and ${sameCommitment} offset 0) as r
           ${adoptable}
           where not s.recreated and s.on_chain and f.found is null and c.found is null`,
  },
  recreated: {
    name: 'twins-of-recreated',
    text: `select r.stamp_id as recreated, s.stamp_id as "stampId"
           from unnest($1::uuid[]) as requested (id)
           cross join lateral (${requested}) as r
           cross join lateral (
             select * from stamps s where not s.recreated and s.on_chain and ${sameCommitment} offset 0) as s
           ${adoptable}
           where r.recreated and f.found is null and c.found is null`,
  },
};

/** The twins of these stamps or recreated records. */
export async function findTwins(
  database: Pick<Database, 'query'>,
  of: keyof typeof queries,
  ids: readonly string[],
): Promise<Twin[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.query<Twin>({ ...queries[of], values: [arrayOf.uuid(ids)] });
  return rows;
}

/** Gives the recreated record's file to the stamp, and deletes the record; false when another was faster. */
export async function adoptFile(client: Client, { recreated, stampId }: Twin): Promise<boolean> {
  const { rowCount } = await client.query('delete from stamps where stamp_id = $1 and recreated', [recreated]);
  if (rowCount !== 1) return false;
  await client.query("delete from files where stamp_id = $1 and status = 'failed'", [stampId]);
  await client.query('update files set stamp_id = $2 where stamp_id = $1', [recreated, stampId]);
  await client.query(
    'update uploads set stamp_ids = array_replace(stamp_ids, $1, $2) where stamp_ids @> array[$1::uuid]',
    [recreated, stampId],
  );
  return true;
}
