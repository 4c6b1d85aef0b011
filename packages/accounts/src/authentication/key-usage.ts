import { arrayOf, type Database } from '@indelible/postgres';

/**
 * Notes of last uses until they are written: one instant a key, `maxEntries` keys at most; others are dropped, since a
 * last use is a hint for people.
 */
export function createKeyUsage(options: { readonly database: Pick<Database, 'query'>; readonly maxEntries: number }) {
  let noted = new Map<string, number>();

  return {
    /** @param now ms since 1970 */
    note(keyId: string, now: number): void {
      if (noted.has(keyId) || noted.size < options.maxEntries) noted.set(keyId, now);
    },
    /** Writes what was noted, all keys in one statement; what could not be written stays noted. */
    async write(): Promise<void> {
      const uses = noted;
      if (uses.size === 0) return;
      noted = new Map();
      try {
        await writeUses(options.database, uses);
      } catch (error) {
        for (const [keyId, usedAt] of uses) if (!noted.has(keyId)) noted.set(keyId, usedAt);
        throw error;
      }
    },
  };
}

/** Skips keys that another replica is writing: it notes the same minute. */
async function writeUses(database: Pick<Database, 'query'>, uses: ReadonlyMap<string, number>): Promise<void> {
  await database.query({
    name: 'write-key-uses',
    text: `with uses as (select id, used_at from unnest($1::uuid[], $2::timestamptz[]) as u (id, used_at)),
             free as (select k.id from api_keys k join uses using (id) for no key update of k skip locked)
           update api_keys k set last_used_at = greatest(k.last_used_at, uses.used_at)
           from free join uses using (id) where k.id = free.id`,
    values: [arrayOf.uuid([...uses.keys()]), arrayOf.timestamptz([...uses.values()].map((usedAt) => new Date(usedAt)))],
  });
}
