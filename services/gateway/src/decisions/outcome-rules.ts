import type { Reply } from '@indelible/messages';

/** How the outcome of a request is learned: pure, from replies and from its status, in any order. */
export type OutcomeRules<State, Status, Outcome> = {
  applyReply(state: State, reply: Reply): State;
  applyStatus(state: State, status: Status): State;
  /** Undefined while it is not known. */
  outcomeOf(state: State): Outcome | undefined;
  /** The response at the wait limit, without an outcome: the request continues. */
  atLimit(state: State): Outcome;
};
