import { appendEvents } from '@indelible/event-store';
import { type Database, decideInTransaction } from '@indelible/postgres';
import { readStored } from '../tables/files.ts';
import { adoptFile, findTwins } from '../tables/recreated.ts';
import { fileStored } from './store-files.ts';

/**
 * Content may be uploaded for a commitment before its stamp's message is here; once both are known, the stamp gets the
 * file, and its FileStored reports it. Call after a change of either side is committed: whichever is later finds the
 * other, and a repetition finds nothing left to do (I5).
 * @param of which side `ids` belong to
 * @returns the stamps that got a file
 */
export async function adoptFiles(
  database: Pick<Database, 'query' | 'transaction' | 'schema'>,
  of: 'stamps' | 'recreated',
  ids: readonly string[],
): Promise<readonly string[]> {
  if ((await findTwins(database, of, ids)).length === 0) return [];
  return await decideInTransaction(database, async (client) => {
    const adopted: string[] = [];
    for (const twin of await findTwins(client, of, ids)) if (await adoptFile(client, twin)) adopted.push(twin.stampId);
    const files = await readStored(client, adopted);
    await appendEvents(
      client,
      database.schema,
      files.map(({ file, storedAt }) => fileStored({ ...file, came: 'later', replyTo: null }, storedAt)),
    );
    return adopted;
  });
}
