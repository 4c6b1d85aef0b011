import type { Reply } from '@indelible/messages';

/** How replies and statuses, in any order, determine the outcome of a request; pure. */
export type OutcomeRules<State, Status, Outcome> = {
  applyReply(state: State, reply: Reply): State;
  applyStatus(state: State, status: Status): State;
  /** Undefined while unknown. */
  outcomeOf(state: State): Outcome | undefined;
  /** The response at the wait limit, without an outcome: the request continues. */
  atLimit(state: State): Outcome;
};
