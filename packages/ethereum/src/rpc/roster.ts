import { RpcUnavailableError } from './errors.ts';
import type { Member } from './member.ts';
import type { Need } from './questions.ts';
import type { SeenHead } from './seen-head.ts';

/** Which endpoints may get which request, in which order. */
export type Roster = {
  /**
   * Endpoints that may respond, best first: in the configured order; then those without the requested block, then those
   * that failed recently. Left out: those of another chain, rate-limited, and for reads of the chain's head those that lag.
   */
  forRead(need: Need): readonly Member[];
  /** The healthy ones; all others of the right chain. */
  forBroadcast(): { readonly well: readonly Member[]; readonly others: readonly Member[] };
  lags(member: Member): boolean;
  /** Why no endpoint may be used. */
  nobody(): RpcUnavailableError;
};

export function createRoster(members: readonly Member[], seenHead: SeenHead): Roster {
  const canBeAsked = (member: Member): boolean => !member.chain.isOut() && !member.health.limited();
  // A sole endpoint is trusted.
  const lags = (member: Member): boolean => {
    const head = member.head();
    return members.length > 1 && head !== undefined && seenHead.isBehind(head);
  };
  const lacks = (member: Member, head: Need['head']): boolean => {
    const own = member.head();
    return typeof head === 'number' && own !== undefined && own < head;
  };
  return {
    lags,
    forRead: ({ head }) => {
      const able = members.filter((member) => canBeAsked(member) && !(head === 'latest' && lags(member)));
      const rank = (member: Member): number => (member.health.resting() ? 2 : 0) + (lacks(member, head) ? 1 : 0);
      return able.sort((a, b) => rank(a) - rank(b));
    },
    forBroadcast: () => {
      const able = members.filter(canBeAsked);
      const well = able.filter(({ health }) => !health.resting());
      return { well, others: able.filter(({ health }) => health.resting()) };
    },
    nobody: () => {
      const limits = members.filter(({ health }) => health.limited()).map(({ health }) => health.limitedForMs());
      if (limits.length > 0)
        return new RpcUnavailableError('every RPC endpoint asks to wait', {
          fault: 'rate-limited',
          retryAfterMs: Math.min(...limits),
        });
      if (members.every((member) => member.chain.isOut()))
        return new RpcUnavailableError('every RPC endpoint is of another chain', { fault: 'wrong-chain' });
      return new RpcUnavailableError('every RPC endpoint lags behind the chain', { fault: 'behind' });
    },
  };
}
