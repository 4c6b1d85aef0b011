import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import type { World } from './world.ts';

/** Waits until everything accepted has ended, and every file is at its path; names what hangs (I6, I7). */
export async function untilQuiet({ pool }: World): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await pool.query(`
        select 'stamps ' || status as what, count(*)::int as count from stamping.stamps where status <> 'confirmed' group by 1
        union all select 'batches ' || status, count(*)::int from stamping.batches where status = 'signed' group by 1
        union all select 'files ' || status, count(*)::int from storage.files where status <> 'success' group by 1
        union all select 'claims of staged content', count(*)::int from storage.staged having count(*) > 0`);
      expect(rows).toEqual([]);
    },
    { timeoutMs: 180_000, intervalMs: 500 },
  );
}

/** The bytes of an object's stored file, from its record's path; every record's file must be the same. */
export async function storedBytes({ pool, blobDirectory }: World, objectCid: string): Promise<readonly Buffer[]> {
  const { rows } = await pool.query<{ file_path: string }>(
    `select distinct f.file_path from storage.files f join storage.stamps s using (stamp_id)
     where s.object_cid = decode($1, 'hex') and f.status = 'success'`,
    [objectCid.slice(2)],
  );
  return Promise.all(rows.map(({ file_path: path }) => readFile(join(blobDirectory, 'objects', path))));
}
