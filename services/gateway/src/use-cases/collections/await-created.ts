import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt } from '@indelible/messages';
import type { CollectionKey, CollectionView } from '../../projections/collections.ts';
import type { CollectionLookup } from './collection-lookup.ts';

const pauseMs = { first: 10, most: 500 };
/** How long a response waits for the read model to show its new collection. */
const viewLimitMs = 2_000;

/**
 * The collection once the read model shows it as created, so that a client can find what it was notified of (I9). Undefined
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

/** Whether the read model shows the collection of a receipt in time. */
export const isShownAsCreated = async (
  lookup: CollectionLookup,
  { account, setCid }: Pick<Receipt, 'account' | 'setCid'>,
): Promise<boolean> =>
  (await awaitCreated(lookup, { account, cid: setCid }, AbortSignal.timeout(viewLimitMs))) !== undefined;
