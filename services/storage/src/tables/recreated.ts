import { arrayOf, type Client, type Database } from '@indelible/postgres';

/** A recreated record with a stored file, and the stamp that its commitment has turned out to be. */
export type Twin = { readonly recreated: string; readonly stampId: string };

/** Both are of one commitment, and the stamp has neither a file nor content of its own on the way. */
const twins = `
  from stamps r
  join files rf on rf.stamp_id = r.stamp_id and rf.status = 'success'
  join stamps s on not s.recreated and s.object_cid = r.object_cid and s.account = r.account and s.set_cid = r.set_cid
    and s.chain_id = r.chain_id and s.transaction_hash = r.transaction_hash and s.log_index = r.log_index
  where r.recreated and s.on_chain
    and not exists (select from files f where f.stamp_id = s.stamp_id and f.status <> 'failed')
    and not exists (select from staged c where c.stamp_id = s.stamp_id)`;

const queries = {
  stamps: {
    name: 'twins-of-stamps',
    text: `select r.stamp_id as recreated, s.stamp_id as "stampId" ${twins}
    and s.stamp_id = any($1::uuid[])`,
  },
  recreated: {
    name: 'twins-of-recreated',
    text: `select r.stamp_id as recreated, s.stamp_id as "stampId" ${twins}
    and r.stamp_id = any($1::uuid[])`,
  },
};

/** The twins among these stamps, or of these recreated records. */
export async function findTwins(
  database: Pick<Database, 'query'>,
  of: keyof typeof queries,
  ids: readonly string[],
): Promise<Twin[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.query<Twin>({ ...queries[of], values: [arrayOf.uuid(ids)] });
  return rows;
}

/** Gives the recreated record's file to the stamp, and forgets the record; false when another has been faster. */
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
