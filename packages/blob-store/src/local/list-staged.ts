import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagedEntry } from '../blob-store.ts';
import { ifThere } from './file-faults.ts';

const stagedName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\.part)?$/;
/** Files examined per listed file: bounds the work of a page when most are young. */
const looksPerItem = 10;

/** The folder of a staged id: by its last digits, which are random in every version of UUID. */
export const shardOf = (stagedId: string): string => stagedId.slice(-2);

const shards = Array.from({ length: 256 }, (_value, i) => i.toString(16).padStart(2, '0'));

/** A page in the order of (shard, name); `after` is the last name examined by the previous page. */
export async function listStaged(
  staging: string,
  options: { readonly olderThan: Date; readonly limit: number; readonly after?: string },
): Promise<{ items: StagedEntry[]; next?: string }> {
  const { limit, after = '' } = options;
  const items: StagedEntry[] = [];
  let looks = 0;
  for (const shard of shards) {
    if (shard < after.slice(0, 2)) continue;
    const names = (await ifThere(readdir(join(staging, shard)))) ?? [];
    for (const name of names.sort()) {
      const place = `${shard}/${name}`;
      const stagedId = stagedName.exec(name)?.[1];
      if (place <= after || stagedId === undefined) continue;
      const found = await ifThere(lstat(join(staging, shard, name)));
      if (found !== undefined && found.mtime < options.olderThan) items.push({ stagedId, modifiedAt: found.mtime });
      if (items.length >= limit || ++looks >= limit * looksPerItem) return { items, next: place };
    }
  }
  return { items };
}
