import type { ReplyReceiver, ReplyWaiter } from '@indelible/redis';
import type { OutcomeRules } from '../decisions/outcome-rules.ts';
import type { Deadlines } from '../stamping/deadlines.ts';
import type { Wait } from '../stamping/waiting-room.ts';

/** Looks a request's status up, now and then or once, and passes on what it finds, until the function that it returns is called. */
export type LookUp<Status> = (see: (status: Status) => void) => () => void;

/**
 * The wait for the outcome of one published command, by its replies and, when these do not come, by its status. Thousands are under
 * way: one object and two callbacks each.
 */
export class OutcomeWait<State, Status, Outcome> {
  readonly #rules: OutcomeRules<State, Status, Outcome>;
  readonly #waiter: ReplyWaiter;
  readonly #onOutcome: (outcome: Outcome) => void;
  #state: State;
  #stopLooking: (() => void) | undefined;
  #isOver = false;

  /**
   * @param waiter registered before the command was published, so that no reply is missed; closed here
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
  begin(lookUp: LookUp<Status>): void {
    // What is known before any reply may be all that is needed.
    this.#see(this.#state);
    if (this.#isOver) return;
    this.#waiter.listen((reply) => this.#see(this.#rules.seeReply(this.#state, reply)));
    if (this.#isOver) return;
    const stopLooking = lookUp((status) => this.#see(this.#rules.seeStatus(this.#state, status)));
    if (this.#isOver) stopLooking();
    else this.#stopLooking = stopLooking;
  }
  /** The wait limit has passed. */
  endAtLimit(): void {
    if (!this.#isOver) this.#end(this.#rules.atLimit(this.#state));
  }
  /** Ends the wait without an outcome. May be called again. */
  close(): void {
    this.#isOver = true;
    this.#stopLooking?.();
    this.#stopLooking = undefined;
    this.#waiter.close();
  }
  #see(state: State): void {
    if (this.#isOver) return;
    this.#state = state;
    const outcome = this.#rules.settle(state);
    if (outcome !== undefined) this.#end(outcome);
  }
  #end(outcome: Outcome): void {
    this.close();
    this.#onOutcome(outcome);
  }
}

/** How the outcome of a command is learned. */
export type Awaited<State, Status, Outcome> = {
  readonly rules: OutcomeRules<State, Status, Outcome>;
  /** What is known of it before any reply. */
  readonly state: State;
  lookUp(see: (status: Status) => void): () => void;
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
    const outcome = new OutcomeWait(command.rules, command.state, waiter, (settled) => {
      forget?.();
      within?.remove(atLimit);
      resolve(settled);
    });
    const atLimit = (): void => outcome.endAtLimit();
    outcome.begin((see) => command.lookUp(see));
    if (!outcome.isOver) forget = wait.onEnd(atLimit);
    if (!outcome.isOver) within?.add(atLimit);
  });
}
