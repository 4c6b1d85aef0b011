import { setNewest } from '@indelible/service-runtime';
import type { KeyRecord } from './key-record.ts';

/** What was read of a key: `record` undefined when there is no such key. */
export type CachedKey = { readonly record: KeyRecord | undefined };

type Entry = CachedKey & { readonly readAt: number };

/**
 * What was last read of keys, by their hashes. An entry counts for `ttlMs` from the moment before its reading began;
 * also not before that moment, so that a clock set back makes no entry live longer. Unknown keys have a room of their
 * own: random keys evict no key in use. Each room holds `maxEntries`; the oldest reading goes first.
 */
export function createKeyCache(options: { readonly ttlMs: number; readonly maxEntries: number }) {
  const known = new Map<string, Entry>();
  const unknown = new Map<string, Entry>();

  return {
    /** @param now ms since 1970 */
    find(hash: string, now: number): CachedKey | undefined {
      const entry = known.get(hash) ?? unknown.get(hash);
      if (entry === undefined || now < entry.readAt || now - entry.readAt >= options.ttlMs) return undefined;
      return entry;
    },
    /** @param readAt ms since 1970, before the reading began */
    keep(hash: string, record: KeyRecord | undefined, readAt: number): void {
      const [room, other] = record === undefined ? [unknown, known] : [known, unknown];
      other.delete(hash);
      setNewest(room, hash, { record, readAt }, options.maxEntries);
    },
  };
}
