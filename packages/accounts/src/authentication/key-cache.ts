import { setNewest } from '@indelible/service-runtime';
import type { KeyRecord } from './key-record.ts';

/** The result of a read: `record` is undefined for an unknown key. */
export type CachedKey = { readonly record: KeyRecord | undefined };

type Entry = CachedKey & { readonly readAt: number };

/**
 * The last read of each key, by hash. An entry is valid for `ttlMs` from just before its read began, and not earlier,
 * so that a clock set back extends no entry. Unknown keys are stored apart, so that random keys evict no key in use.
 * Each part holds `maxEntries` and evicts the oldest read first.
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
