import { claimMessages, findHandled } from '@indelible/event-store';
import { arrayOf, type Client } from '@indelible/postgres';
import type { FileFact } from '../decisions/facts.ts';

/**
 * Confirmed stamps are recorded in the inbox, as handled by this name: their files come from another topic, perhaps
 * first. The rows expire with the inbox, after 30 days.
 */
const confirmedStamps = 'notifications confirmed stamps';

export const noteConfirmed = async (client: Client, stampIds: readonly string[]): Promise<void> =>
  void (await claimMessages(client, confirmedStamps, stampIds));

export const findConfirmed = (client: Client, stampIds: readonly string[]): Promise<Set<string>> =>
  findHandled(client, confirmedStamps, stampIds);

export async function noteFailed(client: Client, stampIds: readonly string[]): Promise<void> {
  if (stampIds.length === 0) return;
  await client.query({
    name: 'note-failed-stamps',
    text: 'insert into failed_stamps (stamp_id) select unnest($1::uuid[]) on conflict do nothing',
    values: [arrayOf.uuid(stampIds)],
  });
}

export async function findFailed(client: Client, stampIds: readonly string[]): Promise<Set<string>> {
  if (stampIds.length === 0) return new Set();
  const { rows } = await client.query<{ stamp_id: string }>({
    name: 'find-failed-stamps',
    text: 'select stamp_id from failed_stamps where stamp_id = any($1::uuid[])',
    values: [arrayOf.uuid(stampIds)],
  });
  return new Set(rows.map((row) => row.stamp_id));
}

export async function saveEarlyFiles(client: Client, files: readonly FileFact[]): Promise<void> {
  if (files.length === 0) return;
  await client.query({
    name: 'save-early-files',
    text: `insert into early_files (stamp_id, message_id, fact)
           select * from unnest($1::uuid[], $2::uuid[], $3::json[])`,
    values: [
      arrayOf.uuid(files.map(({ stamp }) => stamp.stampId)),
      arrayOf.uuid(files.map(({ messageId }) => messageId)),
      arrayOf.json(files.map((fact) => JSON.stringify(fact))),
    ],
  });
}

/** Per stamp and transaction: content that came with it and with joined requests. More are reported as late files. */
const mostFiles = 1_000;

/** Files waiting for these stamps' confirmation. */
export async function readEarlyFiles(client: Client, stampIds: readonly string[]): Promise<Map<string, FileFact[]>> {
  const files = new Map<string, FileFact[]>();
  if (stampIds.length === 0) return files;
  const { rows } = await client.query<{ stamp_id: string; fact: FileFact }>({
    name: 'read-early-files',
    text: `select f.stamp_id, f.fact from unnest($1::uuid[]) as s (id) cross join lateral (
             select stamp_id, fact, noted_at from early_files where stamp_id = s.id order by message_id limit ${mostFiles}) as f
           order by f.noted_at`,
    values: [arrayOf.uuid(stampIds)],
  });
  for (const { stamp_id: id, fact } of rows) files.set(id, [...(files.get(id) ?? []), fact]);
  return files;
}

/** Only those files: others of the same stamps still wait. */
export async function dropEarlyFiles(client: Client, files: readonly FileFact[]): Promise<void> {
  if (files.length === 0) return;
  await client.query({
    name: 'drop-early-files',
    text: `delete from early_files where ctid = any(array(
             select f.ctid from unnest($1::uuid[], $2::uuid[]) as d (stamp_id, message_id)
             cross join lateral (select ctid from early_files
               where stamp_id = d.stamp_id and message_id = d.message_id limit 1) as f))`,
    values: [
      arrayOf.uuid(files.map(({ stamp }) => stamp.stampId)),
      arrayOf.uuid(files.map(({ messageId }) => messageId)),
    ],
  });
}
