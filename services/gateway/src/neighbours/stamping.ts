import type { StampFacts } from '@indelible/messages';
import type { InternalAddress } from '@indelible/service-runtime';
import { requestJson } from './request-json.ts';

/** Ids of one look-up. */
export const maxLookedUp = 1_000;

/**
 * Outcomes of requests of any account, by id: the stamp that each made, joined or repeated, or its refusal. Requests
 * that stamping has not decided or has deleted are left out.
 * @throws UnavailableError; the signal's reason
 */
export type FindStampFacts = (ids: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, StampFacts>>;

type FoundFacts = StampFacts & { readonly requestedId: string };

export const createFindStampFacts =
  (stamping: InternalAddress): FindStampFacts =>
  async (ids, signal) => {
    const found = new Map<string, StampFacts>();
    for (let start = 0; start < ids.length; start += maxLookedUp) {
      const { body } = await requestJson<{ readonly stamps: readonly FoundFacts[] }>(stamping, {
        ...{ service: 'stamping', path: '/internal/stamps/lookup', signal },
        body: { ids: ids.slice(start, start + maxLookedUp) },
      });
      for (const { requestedId, ...facts } of body.stamps) found.set(requestedId, facts);
    }
    return found;
  };
