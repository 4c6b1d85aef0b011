import type { StampFacts } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { readRequestOutcomes, readStampFacts } from './stamp-facts-queries.ts';

/** Most ids of a look-up. */
export const maxIds = 1_000;

/**
 * The outcome of requests, by id: the stamp that each made, joined or repeated, or its refusal. Requests that are
 * undecided or were forgotten are left out.
 * @param ids at most {@link maxIds}
 */
export async function findStampFacts(
  database: Pick<Database, 'query'>,
  chainId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StampFacts>> {
  const distinct = [...new Set(ids)];
  const stamps = await readStampFacts(database, chainId, distinct);
  const outcomes = await readRequestOutcomes(
    database,
    distinct.filter((id) => !stamps.has(id)),
  );
  const joined = await readStampFacts(
    database,
    chainId,
    [...outcomes.values()].flatMap((outcome) => ('joined' in outcome ? [outcome.joined] : [])),
  );
  const found = new Map(stamps);
  for (const [id, outcome] of outcomes) {
    const facts = 'joined' in outcome ? joined.get(outcome.joined) : outcome.refused;
    if (facts !== undefined) found.set(id, facts);
  }
  return found;
}
