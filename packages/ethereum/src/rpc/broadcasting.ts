import { RpcUnavailableError } from './errors.ts';
import type { Member } from './member.ts';
import type { RpcMeaningKind } from './node-answers.ts';
import type { RpcCall, RpcOutcome } from './port.ts';
import type { Roster } from './roster.ts';

export type Broadcasting = (call: RpcCall, signal: AbortSignal | undefined) => Promise<RpcOutcome>;

/**
 * Best first, where no endpoint has taken the transaction: that it may have been taken counts more than any refusal; of
 * these, what says most about the chain counts most. An endpoint that has not looked at it says nothing.
 */
const order: readonly RpcMeaningKind[] = [
  'unknown-outcome',
  'nonce-used',
  'underpriced-replacement',
  'funds-missing',
  'fee-too-low',
  'reverted',
  'permanent',
  'nonce-gap',
  'behind',
  'rate-limited',
  'node-fault',
];
const notLookedAt: ReadonlySet<RpcMeaningKind> = new Set(['behind', 'rate-limited', 'node-fault']);

type Refusal = { readonly rank: number; readonly meaning: RpcMeaningKind; readonly give: () => RpcOutcome };

/**
 * Sends a transaction to all endpoints that are well at once, to the others if none of these looks at it. Resolves as soon
 * as one has it, while the rest goes on, so that it is spread; else with the best of the refusals, when all have answered.
 * @returns a strategy that throws RpcUnavailableError, or the signal's reason
 */
export function createBroadcasting(roster: Roster): Broadcasting {
  const toAll = async (members: readonly Member[], call: RpcCall, signal: AbortSignal | undefined) => {
    const { promise: firstTaken, resolve } = Promise.withResolvers<void>();
    let taken: RpcOutcome | undefined;
    const take = (outcome: RpcOutcome): undefined => {
      taken ??= outcome;
      resolve();
    };
    const send = async (member: Member): Promise<Refusal | undefined> => {
      try {
        const [outcome] = await member.ask([call], false, signal);
        if (outcome === undefined) return undefined;
        if (outcome.ok || outcome.error.meaning.kind === 'accepted-already') return take(outcome);
        return refusal(outcome.error.meaning.kind, () => outcome);
      } catch (error) {
        if (!(error instanceof RpcUnavailableError)) throw error;
        return refusal(error.meaning.kind, () => {
          throw error;
        });
      }
    };
    const all = Promise.all(members.map(send));
    const refusals = await Promise.race([firstTaken, all]);
    return { taken, refusals: (refusals ?? []).filter((each) => each !== undefined) };
  };

  return async (call, signal) => {
    const { well, others } = roster.forBroadcast();
    let best: Refusal | undefined;
    for (const members of [well, others]) {
      if (members.length === 0) continue;
      const { taken, refusals } = await toAll(members, call, signal);
      if (taken !== undefined) return taken;
      best = [...(best === undefined ? [] : [best]), ...refusals].sort((a, b) => a.rank - b.rank)[0];
      if (best !== undefined && !notLookedAt.has(best.meaning)) break;
    }
    if (best === undefined) throw roster.nobody();
    return best.give();
  };
}

const refusal = (meaning: RpcMeaningKind, give: () => RpcOutcome): Refusal => ({
  rank: order.indexOf(meaning),
  meaning,
  give,
});
