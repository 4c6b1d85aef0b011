import type { InternalAddress } from '@indelible/service-runtime';
import type { StampFacts } from '../decisions/stamp-view.ts';
import { lookUp } from './look-up.ts';

/** Ids of one look-up. */
export const maxLookedUp = 1_000;

/**
 * What became of requests, by their ids, of any account: the stamp that each made, joined or repeated, or that it was refused. Nothing of those that
 * stamping has not decided or has forgotten.
 * @throws UnavailableError; the signal's reason
 */
export type FindStampFacts = (ids: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, StampFacts>>;

export const createFindStampFacts =
  (stamping: InternalAddress): FindStampFacts =>
  async (ids, signal) => {
    const found = new Map<string, StampFacts>();
    for (let start = 0; start < ids.length; start += maxLookedUp) {
      const { stamps } = await lookUp<{ readonly stamps: readonly (StampFacts & { readonly requestedId: string })[] }>(
        stamping,
        {
          ...{ service: 'stamping', path: '/internal/stamps/lookup', signal },
          body: { ids: ids.slice(start, start + maxLookedUp) },
        },
      );
      for (const { requestedId, ...facts } of stamps) found.set(requestedId, facts);
    }
    return found;
  };
