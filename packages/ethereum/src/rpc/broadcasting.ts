import { RpcUnavailableError } from './errors.ts';
import type { Member } from './member.ts';
import type { RpcMeaningKind } from './node-answers.ts';
import type { RpcCall, RpcOutcome } from './port.ts';
import type { Roster } from './roster.ts';

export type Broadcasting = (call: RpcCall, signal: AbortSignal | undefined) => Promise<RpcOutcome>;

/**
 * Best first, if no endpoint accepted the transaction: a nonce in a block settles it; a possible acceptance counts more
 * than any refusal; of refusals, the one that says most about the chain counts most. An endpoint that has not examined
 * it says nothing.
 */
const order: readonly RpcMeaningKind[] = [
  'nonce-used',
  'unknown-outcome',
  'underpriced-replacement',
  'funds-missing',
  'fee-too-low',
  'fee-too-high',
  'reverted',
  'permanent',
  'nonce-gap',
  'behind',
  'rate-limited',
  'node-fault',
];
const notLookedAt: ReadonlySet<RpcMeaningKind> = new Set(['behind', 'rate-limited', 'node-fault']);

type Refusal = {
  readonly rank: number;
  readonly meaning: RpcMeaningKind;
  readonly lags: boolean;
  readonly give: () => RpcOutcome;
};

/**
 * Sends a transaction to all healthy endpoints at once, to the others if none of these examines it. Resolves as soon as
 * one accepts, while the rest continues, so that it spreads; otherwise with the best refusal, when all have responded.
 * A lagging endpoint gets it, too, but its response counts only if no other examines it: it accepts a transaction whose
 * nonce was used long ago.
 * @returns a strategy that throws RpcUnavailableError, or the signal's reason
 */
export function createBroadcasting(roster: Roster): Broadcasting {
  const toAll = async (members: readonly Member[], call: RpcCall, signal: AbortSignal | undefined) => {
    const { promise: firstTaken, resolve } = Promise.withResolvers<void>();
    let taken: RpcOutcome | undefined;
    let takenLate: RpcOutcome | undefined;
    const take = (outcome: RpcOutcome, lags: boolean): undefined => {
      if (lags) {
        takenLate ??= outcome;
        return;
      }
      taken ??= outcome;
      resolve();
    };
    const send = async (member: Member): Promise<Refusal | undefined> => {
      const lags = roster.lags(member);
      try {
        const [outcome] = await member.ask([call], false, signal);
        if (outcome === undefined) return undefined;
        if (outcome.ok || outcome.error.meaning.kind === 'accepted-already') return take(outcome, lags);
        return refusal(outcome.error.meaning.kind, lags, () => outcome);
      } catch (error) {
        if (!(error instanceof RpcUnavailableError)) throw error;
        return refusal(error.meaning.kind, lags, () => {
          throw error;
        });
      }
    };
    const all = Promise.all(members.map(send));
    const refusals = await Promise.race([firstTaken, all]);
    const known = (refusals ?? []).filter((each) => each !== undefined);
    const decided = known.some(({ meaning, lags }) => !lags && !notLookedAt.has(meaning));
    return { taken: taken ?? (decided ? undefined : takenLate), refusals: known };
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

const refusal = (meaning: RpcMeaningKind, lags: boolean, give: () => RpcOutcome): Refusal => ({
  // A lagging endpoint ranks after any other that has examined it.
  rank: order.indexOf(meaning) + order.length * (notLookedAt.has(meaning) ? 2 : lags ? 1 : 0),
  meaning,
  lags,
  give,
});
