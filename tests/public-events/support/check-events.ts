import { checkOrder } from './check-order.ts';
import { distinct, factOf, type SeenEvent } from './public-event.ts';
import type { Happened } from './what-happened.ts';

/** So many of each kind of fault are named. */
const mostNamed = 10;

/**
 * What is wrong with the events that a subscriber has been given, who drops ids that it has had: nothing, when each thing that happened to its
 * accounts has its event once, in order, with no gap in the sequence of a collection, and nothing is of anybody else.
 * @param events as they came, repeated ones as well
 * @param happened to these accounts
 */
export function faultsOf(events: readonly SeenEvent[], happened: Happened): readonly string[] {
  const own = distinct(events);
  const known = own.filter((event) => !happened.isForged(event));
  return [
    ...named('came again as another', repeatedOtherwise(events)),
    ...named('came for another account', strangersIn(own, happened.accounts)),
    ...named('is out of its sequence', checkSequences(own)),
    ...compareFacts(known.map(factOf), happened.facts),
    ...named('is out of order', checkOrder(known, happened.uploadedLater)),
  ];
}

/** Ids that one has and the other lacks. */
export function idsThatDiffer(one: readonly SeenEvent[], other: readonly SeenEvent[]): readonly string[] {
  const [ids, others] = [new Set(one.map(({ id }) => id)), new Set(other.map(({ id }) => id))];
  return [...[...ids].filter((id) => !others.has(id)), ...[...others].filter((id) => !ids.has(id))];
}

/** An id stands for one event: what comes again is the same. */
function repeatedOtherwise(events: readonly SeenEvent[]): string[] {
  const first = new Map<string, string>();
  return events.flatMap((event) => {
    const text = JSON.stringify(event);
    const known = first.get(event.id);
    if (known === undefined) first.set(event.id, text);
    return known === undefined || known === text ? [] : [`${factOf(event)} (${event.id})`];
  });
}

/** Its key and its data name the same account, which is one of the subscriber's. */
function strangersIn(events: readonly SeenEvent[], accounts: ReadonlySet<string>): string[] {
  return events.flatMap((event) => {
    const [account, set = ''] = event.key.split('/') as [string, string?];
    const { user_address: owner, set_cid: cid = '' } = event.data;
    const isOwn = accounts.has(account) && String(owner).toLowerCase() === account && String(cid) === set;
    return isOwn ? [] : [`${factOf(event)} under ${event.key}`];
  });
}

/** Each collection's events come one way, and their sequence begins with 1 and has no gap. */
function checkSequences(events: readonly SeenEvent[]): string[] {
  const faults: string[] = [];
  for (const [key, own] of Map.groupBy(events, (event) => event.key)) {
    const wrong = own.findIndex(({ sequence }, at) => sequence !== at + 1);
    if (wrong >= 0) faults.push(`${key}: ${own[wrong]?.sequence} in the place of ${wrong + 1}`);
    const ways = new Set(own.map(({ way }) => way));
    if (ways.size > 1) faults.push(`${key}: in partitions ${[...ways].join(', ')}`);
  }
  return faults;
}

function compareFacts(seen: readonly string[], happened: readonly string[]): string[] {
  const left = countsOf(happened);
  const tooMuch: string[] = [];
  for (const fact of seen) {
    const count = left.get(fact) ?? 0;
    if (count === 0) tooMuch.push(fact);
    else left.set(fact, count - 1);
  }
  const missing = [...left].flatMap(([fact, count]) => Array.from({ length: count }, () => fact));
  return [...named('is missing', missing), ...named('is too much', tooMuch)];
}

function countsOf(facts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const fact of facts) counts.set(fact, (counts.get(fact) ?? 0) + 1);
  return counts;
}

const named = (fault: string, of: readonly string[]): string[] => [
  ...of.slice(0, mostNamed).map((what) => `${what} ${fault}`),
  ...(of.length > mostNamed ? [`and ${of.length - mostNamed} more: ${fault}`] : []),
];
