import type { BlobStore, PromoteOutcome } from '@indelible/blob-store';

/** A move that takes longer is made again. A large copy may take this long. */
const forgottenAfterMs = 600_000;

/**
 * The same store, without concurrent moves of the same content: a caller that wants one in flight gets its outcome. So
 * a move that outlasts its caller's wait continues, and the next attempt gets its outcome instead of starting a second
 * copy.
 */
export function joinMoves(blobStore: BlobStore): BlobStore {
  const underWay = new Map<string, Promise<PromoteOutcome>>();
  return {
    ...blobStore,
    promote(stagedId, path, expected, options) {
      const key = `${stagedId} ${options?.keepStaged === true} ${path}`;
      const known = underWay.get(key);
      if (known !== undefined) return known;
      const move = blobStore.promote(stagedId, path, expected, options);
      underWay.set(key, move);
      const forget = (): void => {
        clearTimeout(timer);
        if (underWay.get(key) === move) underWay.delete(key);
      };
      const timer = setTimeout(forget, forgottenAfterMs).unref();
      move.then(forget, forget);
      return move;
    },
  };
}
