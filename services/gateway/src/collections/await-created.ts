import { setTimeout as delay } from 'node:timers/promises';
import type { CollectionKey, CollectionView } from '../projections/collections.ts';
import type { CollectionLookup } from './collection-lookup.ts';

const pauseMs = { first: 10, most: 500 };

/**
 * The collection once the read model shows it as created: what a client has been told, it can see (I9). Undefined
 * when the signal aborts first.
 */
export async function awaitCreated(
  lookup: CollectionLookup,
  key: CollectionKey,
  signal: AbortSignal,
): Promise<CollectionView | undefined> {
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.most)) {
    const view = await lookup(key);
    if (view?.created === true) return view;
    try {
      await delay(pause, undefined, { signal });
    } catch {
      return undefined;
    }
  }
}
