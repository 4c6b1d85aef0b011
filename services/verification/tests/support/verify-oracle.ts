import { foldName } from '@indelible/identifiers';

/** Facts in words: small worlds in which everything collides. */
export type World = {
  readonly commitments: readonly {
    readonly owner: string;
    readonly set: string | undefined;
    readonly words: string;
    readonly second: number;
  }[];
  readonly collections: readonly { readonly owner: string; readonly name: string; readonly isPublic: boolean }[];
};
export type Query = {
  readonly objects: readonly { readonly words: string; readonly second: number }[];
  readonly name: string | undefined;
  readonly owner: string | undefined;
};
/** A pair is `<words> at <second>`; lists are sorted where their order is free. */
export type Expected = {
  readonly name: string | null;
  readonly set: string | null;
  readonly owner: string | null;
  readonly matched: readonly string[];
  readonly unmatchedObjects: readonly string[];
  readonly unmatchedReceipts: readonly string[];
};

const caller = 'alice';
const pairOf = ({ words, second }: { words: string; second: number }) => `${words} at ${second}`;
type Candidate = { owner: string; set: string; name: string | null };

/** The specified rules, implemented naively in memory: each list is scanned again and again. */
export function expectedAnswer(world: World, query: Query): Expected[] {
  const objects = query.objects.map(pairOf);
  const candidates =
    query.name === undefined ? inferred(world, query, objects) : named(world, query, foldName(query.name), objects);
  if (candidates.length === 0)
    return [
      {
        name: query.name ?? null,
        set: null,
        owner: query.owner ?? null,
        matched: [],
        unmatchedObjects: objects,
        unmatchedReceipts: [],
      },
    ];
  return candidates.slice(0, 5).map((candidate) => ({ ...candidate, ...match(world, candidate, objects) }));
}

function match(world: World, candidate: Candidate, objects: readonly string[]) {
  const left = receiptsOf(world, candidate).map(pairOf);
  const matched: string[] = [];
  const unmatchedObjects: string[] = [];
  for (const pair of objects) {
    const at = left.indexOf(pair);
    if (at === -1) unmatchedObjects.push(pair);
    else matched.push(...left.splice(at, 1));
  }
  return { matched: matched.sort(), unmatchedObjects, unmatchedReceipts: left.sort() };
}

const receiptsOf = (world: World, { owner, set }: { owner: string; set: string }) =>
  world.commitments.filter((commitment) => commitment.owner === owner && commitment.set === set);

const isVisible = (world: World, owner: string, name: string) =>
  owner === caller || !world.collections.some((k) => k.owner === owner && k.name === name && !k.isPublic);

function named(world: World, query: Query, folded: string, objects: readonly string[]): Candidate[] {
  const all = world.collections
    .filter((k) => foldName(k.name) === folded && isVisible(world, k.owner, k.name))
    .map((k) => ({ owner: k.owner, set: k.name, name: k.name }));
  const wanted = all.filter((candidate) => candidate.owner === (query.owner ?? caller));
  return wanted.length > 0 || query.owner !== undefined ? wanted : best(world, all, objects);
}

function inferred(world: World, query: Query, objects: readonly string[]): Candidate[] {
  const sets = new Map<string, Candidate>();
  for (const { owner, set } of world.commitments) {
    if (set === undefined || !isVisible(world, owner, set)) continue;
    if (query.owner !== undefined && query.owner !== owner) continue;
    const known = world.collections.find((k) => k.owner === owner && k.name === set);
    sets.set(`${owner}/${set}`, { owner, set, name: known?.name ?? null });
  }
  const reaching = [...sets.values()].filter((set) => share(world, set, objects) >= 0.8);
  const own = reaching.filter(({ owner }) => owner === caller);
  return best(world, own.length > 0 ? own : reaching, objects);
}

function share(world: World, candidate: Candidate, objects: readonly string[]): number {
  const held = new Set(receiptsOf(world, candidate).map(pairOf));
  const distinct = [...new Set(objects)];
  return distinct.length === 0 ? 0 : distinct.filter((pair) => held.has(pair)).length / distinct.length;
}

const best = (world: World, candidates: readonly Candidate[], objects: readonly string[]): Candidate[] =>
  candidates.toSorted((a, b) => {
    const [left, right] = [a, b].map((candidate) => ({
      share: share(world, candidate, objects),
      unmatched: match(world, candidate, objects).unmatchedReceipts.length,
      first: Math.min(...receiptsOf(world, candidate).map(({ second }) => second)),
    })) as [{ share: number; unmatched: number; first: number }, { share: number; unmatched: number; first: number }];
    return right.share - left.share || left.unmatched - right.unmatched || compare(left.first, right.first);
  });

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
