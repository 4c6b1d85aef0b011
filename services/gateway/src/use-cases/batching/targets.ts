import type { Hex } from '@indelible/identifiers';
import type { RequestedSet } from '../../decisions/read-stamp-form.ts';
import { noSet, type ResolvedTarget } from '../../decisions/target-set.ts';
import type { HttpError } from '../../errors/http-error.ts';
import { targetFaultError } from '../../errors/refusal-error.ts';
import { translateError } from '../../errors/translate-error.ts';
import { type CollectionLookup, findTarget } from '../collections/collection-lookup.ts';

/** The target of a line, or why it has none. */
export type LineTarget = ResolvedTarget | HttpError;

const maxKnown = 1_000;
/** How long a target is cached. */
const freshMs = 5_000;

/**
 * Targets of one account's lines. Each set they name (one object per set, as the reader makes it) is looked up once,
 * and again only after `freshMs`, since a batch may last long. Only found ones are cached: a collection may be created
 * while the batch runs, and the next line finds it (I9).
 */
export function createTargets(account: Hex, collections: CollectionLookup) {
  let known = new Map<RequestedSet, ResolvedTarget>();
  let since = performance.now();

  /** @throws HttpError when the set is no target */
  async function look(set: RequestedSet): Promise<ResolvedTarget> {
    const target = await findTarget(collections, account, set);
    if ('fault' in target) throw targetFaultError(target);
    return target;
  }

  /** The targets of these sets, with one look-up for all unknown ones. Never rejects. */
  return async (sets: readonly RequestedSet[]): Promise<readonly LineTarget[]> => {
    if (known.size >= maxKnown || performance.now() - since > freshMs) {
      known = new Map();
      since = performance.now();
    }
    const found = known;
    const unknown = new Map<RequestedSet, Promise<void>>();
    /** These lines fail; later ones look again. */
    const faults = new Map<RequestedSet, HttpError>();
    for (const set of sets) {
      if (set.kind === 'none' || found.has(set) || unknown.has(set)) continue;
      const looking = look(set).then(
        (target) => void found.set(set, target),
        (error: unknown) => void faults.set(set, translateError(error)),
      );
      unknown.set(set, looking);
    }
    if (unknown.size > 0) await Promise.all(unknown.values());
    return sets.map((set) => (set.kind === 'none' ? noSet : (found.get(set) ?? (faults.get(set) as HttpError))));
  };
}
