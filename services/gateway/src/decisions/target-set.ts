import { cidOfCollectionName, type Hex, zeroCid } from '@indelible/identifiers';
import type { TargetSet } from '@indelible/messages';
import type { RequestedSet } from './read-stamp-form.ts';

/** The set named in the command, and its CID if the gateway knows it. */
export type ResolvedTarget = {
  readonly set: TargetSet;
  readonly setCid: Hex;
  /** Equal for requests that mean the same set, whatever its CID will be. */
  readonly key: string;
  /** Whether `setCid` is certain: without a set, or known to the read model. */
  readonly certain: boolean;
};

/** Without a collection there is nothing to look up. */
export const noSet: ResolvedTarget = { set: { kind: 'none' }, setCid: zeroCid, key: 'none', certain: true };

/** A collection CID that cannot be stamped into: the request stops before any stamping. */
export type TargetFault =
  | { readonly fault: 'not-registered'; readonly cid: Hex }
  /** Content that was to be stored is kept as non-confirmed, in the folder of this name (docs/interface.md, Stored files). */
  | { readonly fault: 'not-created'; readonly cid: Hex; readonly name: string };

/**
 * Resolves the set a request names against the account's collections (docs/interface.md, Errors).
 * @param known the account's collection of that name or CID
 */
export function resolveTarget(
  requested: RequestedSet,
  known: { readonly cid: Hex; readonly name: string; readonly created: boolean } | undefined,
): ResolvedTarget | TargetFault {
  switch (requested.kind) {
    case 'none':
      return noSet;
    case 'named': {
      const setCid = known?.cid ?? cidOfCollectionName(requested.name);
      const set: TargetSet = { kind: 'named', name: requested.name };
      return { set, setCid, key: `name ${requested.folded}`, certain: known !== undefined };
    }
    case 'cid': {
      const { cid } = requested;
      if (known === undefined) return { fault: 'not-registered', cid };
      if (!known.created) return { fault: 'not-created', cid, name: known.name };
      return { set: { kind: 'registered', cid }, setCid: cid, key: `cid ${cid}`, certain: true };
    }
  }
}
