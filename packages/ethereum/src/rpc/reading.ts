import { RpcUnavailableError } from './errors.ts';
import { askHedged, type HedgeBudget } from './hedge.ts';
import type { Member } from './member.ts';
import { backoff, pause } from './pause.ts';
import type { RpcCall, RpcOutcome } from './port.ts';
import { isDoubtful, type Need, needOf, reportedHead } from './questions.ts';
import type { Roster } from './roster.ts';
import type { SeenHead } from './seen-head.ts';

export type ReadingSettings = {
  readonly roster: Roster;
  readonly seenHead: SeenHead;
  readonly budget: HedgeBudget;
  /** How many times a read tries all endpoints before it gives up. */
  readonly rounds: number;
  /** After this no endpoint gets another request. */
  readonly totalMs: number;
  readonly timeoutMs: number;
  /** Overrides the delay that is learned from the answers. */
  readonly hedgeAfterMs: number | undefined;
  /** How old the known head of an endpoint may be; undefined for a sole endpoint, which is trusted. */
  readonly headMaxAgeMs: number | undefined;
  readonly now: () => number;
  readonly refreshHeads: () => void;
  readonly onHedge: (event: { readonly host: string; readonly won: boolean }) => void;
};

export type Reading = (
  calls: readonly RpcCall[],
  asBatch: boolean,
  signal: AbortSignal,
) => Promise<readonly RpcOutcome[]>;

/** If not good, another endpoint's answer may be better; after a node's fault also this one's, a moment later. */
type Verdict = 'good' | 'behind' | 'node-fault';

const longestHeadWaitMs = 250;
const shortestHedgeMs = 50;

/** Queries the endpoints until one gives a good answer. @returns a strategy that throws RpcUnavailableError */
export function createReading(settings: ReadingSettings): Reading {
  const { roster, seenHead, budget, now } = settings;

  const judge = (calls: readonly RpcCall[], outcomes: readonly RpcOutcome[], member: Member, need: Need): Verdict => {
    if (!need.isRead) return 'good';
    if (need.head === 'latest' && roster.lags(member)) return 'behind';
    const verdicts = calls.map((call, i) => judgeOne(call, outcomes[i], seenHead));
    return verdicts.find((verdict) => verdict !== 'good') ?? 'good';
  };

  const askOne = async (
    member: Member,
    calls: readonly RpcCall[],
    asBatch: boolean,
    need: Need,
    signal: AbortSignal,
  ): Promise<{ member: Member; outcomes: readonly RpcOutcome[] }> => {
    const { headMaxAgeMs } = settings;
    const checked = need.head === 'latest' && headMaxAgeMs !== undefined;
    // In parallel, so that the answer can be judged by the head the node had.
    const refreshed = checked ? member.refreshHead(headMaxAgeMs) : undefined;
    const outcomes = await member.ask(calls, asBatch, signal);
    if (refreshed !== undefined) {
      const enough = new AbortController();
      const patience = pause(longestHeadWaitMs, [signal, enough.signal]);
      await Promise.race([refreshed, patience]).finally(() => enough.abort());
    }
    return { member, outcomes };
  };

  const hedgeDelay = ({ health }: Member, asBatch: boolean): number => {
    const usual = health.latency[asBatch ? 'batch' : 'single'].usualMost() ?? settings.timeoutMs / 4;
    return settings.hedgeAfterMs ?? Math.min(settings.timeoutMs / 2, Math.max(shortestHedgeMs, usual));
  };

  /** All endpoints once. Resolves with the best answer there is, and whether it is good. */
  const goThrough = async (
    calls: readonly RpcCall[],
    asBatch: boolean,
    need: Need,
    deadline: number,
    signal: AbortSignal,
  ) => {
    const queue = [...roster.forRead(need)];
    let last = roster.nobody();
    let poor: { outcomes: readonly RpcOutcome[]; verdict: Verdict } | undefined;
    const mayHedge = (member: Member | undefined): member is Member =>
      need.isRead && member !== undefined && !member.health.resting() && budget.take();
    for (let first = queue.shift(); first !== undefined; first = queue.shift()) {
      let hedge: Member | undefined;
      try {
        const { member, outcomes } = await askHedged({
          first,
          second: () => {
            const next = queue[0];
            if (!mayHedge(next)) return undefined;
            hedge = queue.shift();
            return hedge;
          },
          delayMs: hedgeDelay(first, asBatch),
          ask: (each, own) => askOne(each, calls, asBatch, need, own),
          isGood: (answer) => judge(calls, answer.outcomes, answer.member, need) === 'good',
          signal,
        });
        if (hedge !== undefined) settings.onHedge({ host: hedge.host, won: member === hedge });
        const verdict = judge(calls, outcomes, member, need);
        if (verdict === 'good') return { outcomes, verdict };
        if (!(need.head === 'latest' && roster.lags(member))) poor = { outcomes, verdict };
        else last = new RpcUnavailableError(`${member.host} lags behind the chain`, { fault: 'behind' });
      } catch (error) {
        if (!(error instanceof RpcUnavailableError) || error.fault === 'closed') throw error;
        last = error;
        // Requests that may have an effect are not sent twice.
        if (!need.isRead && error.fault === 'no-answer') throw error;
      }
      if (now() > deadline) break;
    }
    if (poor === undefined) throw last;
    return poor;
  };

  return async (calls, asBatch, signal) => {
    const need = needOf(calls);
    const deadline = now() + settings.totalMs;
    if (need.isRead) budget.earn();
    for (let round = 1; ; round++) {
      if (need.head === 'latest') settings.refreshHeads();
      const isLast = !need.isRead || round >= settings.rounds;
      let wait = backoff(round);
      try {
        const { outcomes, verdict } = await goThrough(calls, asBatch, need, deadline, signal);
        // Missing data comes with a block, not after a short pause: the caller knows how long to wait.
        if (verdict !== 'node-fault' || isLast || now() + wait > deadline) return outcomes;
      } catch (error) {
        if (!(error instanceof RpcUnavailableError) || isFinal(error) || isLast) throw error;
        wait = Math.max(wait, error.retryAfterMs ?? 0);
        if (now() + wait > deadline) throw error;
      }
      await pause(wait, [signal]);
    }
  };
}

/** Another round over the endpoints does not help. */
const isFinal = ({ fault }: RpcUnavailableError): boolean => fault === 'closed' || fault === 'too-long';

function judgeOne(call: RpcCall, outcome: RpcOutcome | undefined, seenHead: SeenHead): Verdict {
  if (outcome === undefined) return 'good';
  if (!outcome.ok) {
    const { kind } = outcome.error.meaning;
    return kind === 'behind' || kind === 'node-fault' ? kind : 'good';
  }
  const reported = reportedHead(call, outcome.result);
  if (reported !== undefined && seenHead.isBehind(reported)) return 'behind';
  return isDoubtful(call, outcome.result, seenHead.number()) ? 'behind' : 'good';
}
