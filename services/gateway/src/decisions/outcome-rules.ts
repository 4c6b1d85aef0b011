import type { Reply } from '@indelible/messages';

/** How the outcome of a request is learned: pure, from replies and look-ups of its status, in any order. */
export type OutcomeRules<State, Status, Outcome> = {
  seeReply(state: State, reply: Reply): State;
  seeStatus(state: State, status: Status): State;
  /** What the request has come to; undefined while that is not known. */
  settle(state: State): Outcome | undefined;
  /** What a request that has not settled is answered with at its wait limit: it goes on. */
  atLimit(state: State): Outcome;
};
