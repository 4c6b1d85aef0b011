import type { ReplyReceiver, ReplyWaiter } from '@indelible/redis';
import type { OutcomeRules } from '../../decisions/outcome-rules.ts';
import type { Deadlines } from '../stamping/deadlines.ts';
import type { Wait } from '../stamping/waiting-room.ts';

/** Calls `onStatus` whenever a request's status was queried, until the returned function is called. */
export type WatchStatus<Status> = (onStatus: (status: Status) => void) => () => void;

/**
 * Waits for the outcome of one published command, by replies or, failing these, by status. There are thousands at once:
 * one object and two callbacks each.
 */
export class OutcomeWait<State, Status, Outcome> {
  readonly #rules: OutcomeRules<State, Status, Outcome>;
  readonly #waiter: ReplyWaiter;
  readonly #onOutcome: (outcome: Outcome) => void;
  #state: State;
  #stopWatching: (() => void) | undefined;
  #isOver = false;

  /**
   * @param waiter registered before the command is published, so that no reply is missed; closed here
   * @param onOutcome called once, unless the wait is closed before
   */
  constructor(
    rules: OutcomeRules<State, Status, Outcome>,
    state: State,
    waiter: ReplyWaiter,
    onOutcome: (outcome: Outcome) => void,
  ) {
    this.#rules = rules;
    this.#state = state;
    this.#waiter = waiter;
    this.#onOutcome = onOutcome;
  }
  get isOver(): boolean {
    return this.#isOver;
  }
  /** The command is durable: its outcome counts now. */
  begin(watchStatus: WatchStatus<Status>): void {
    // The outcome may be known without any reply.
    this.#update(this.#state);
    if (this.#isOver) return;
    this.#waiter.listen((reply) => this.#update(this.#rules.applyReply(this.#state, reply)));
    if (this.#isOver) return;
    const stopWatching = watchStatus((status) => this.#update(this.#rules.applyStatus(this.#state, status)));
    if (this.#isOver) stopWatching();
    else this.#stopWatching = stopWatching;
  }
  /** The wait limit has passed. */
  endAtLimit(): void {
    if (!this.#isOver) this.#end(this.#rules.atLimit(this.#state));
  }
  /** Ends the wait without an outcome. May be called again. */
  close(): void {
    this.#isOver = true;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#waiter.close();
  }
  #update(state: State): void {
    if (this.#isOver) return;
    this.#state = state;
    const outcome = this.#rules.outcomeOf(state);
    if (outcome !== undefined) this.#end(outcome);
  }
  #end(outcome: Outcome): void {
    this.close();
    this.#onOutcome(outcome);
  }
}

/** How a command's outcome is determined. */
export type Awaited<State, Status, Outcome> = {
  readonly rules: OutcomeRules<State, Status, Outcome>;
  /** What is known before any reply. */
  readonly state: State;
  watchStatus(onStatus: (status: Status) => void): () => void;
  /** Ends the wait as well. */
  readonly within?: Deadlines | undefined;
};

/** Waits for the outcome of a published command. @param waiter registered before that; closed here */
export function awaitOutcome<State, Status, Outcome>(
  command: Awaited<State, Status, Outcome>,
  waiter: ReturnType<ReplyReceiver['wait']>,
  wait: Pick<Wait, 'onEnd'>,
): Promise<Outcome> {
  const { within } = command;
  return new Promise((resolve) => {
    let forget: (() => void) | undefined;
    const outcome = new OutcomeWait(command.rules, command.state, waiter, (found) => {
      forget?.();
      within?.remove(atLimit);
      resolve(found);
    });
    const atLimit = (): void => outcome.endAtLimit();
    outcome.begin((onStatus) => command.watchStatus(onStatus));
    if (!outcome.isOver) forget = wait.onEnd(atLimit);
    if (!outcome.isOver) within?.add(atLimit);
  });
}
