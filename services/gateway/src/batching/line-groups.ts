import { setTimeout as delay } from 'node:timers/promises';
import { PublisherBusyError } from '@indelible/kafka';
import type { ReplyWaiter } from '@indelible/replies';
import { type Settled, seeReply, seeStatus, settle, type Waiting } from '../decisions/wait-for-stamp.ts';
import type { Ticket } from '../stamping/waiting-room.ts';
import type { Slot } from './answer-queue.ts';
import type { BatchPorts, StampCommand } from './ports.ts';

/** A line that is to be stamped. */
export type DueLine = { readonly slot: Slot; readonly command: StampCommand };

/** How a line's wait ended; at the limit what was learned says which stamp goes on. */
export type LineOutcome = Settled | { readonly kind: 'limit'; readonly stampId: string };

/** A line is submitted with those that come within `lingerMs`, and a batch has so many groups on their way to Kafka. */
const bounds = { lines: 500, lingerMs: 10, underWay: 4 };
const busyPauseMs = { first: 25, most: 500 };

/** A line's wait: thousands are under way, so it is one object and two callbacks. */
type Wait = {
  readonly line: DueLine;
  waiting: Waiting;
  settled: boolean;
  waiter: ReplyWaiter | undefined;
  unwatch: (() => void) | undefined;
};

/**
 * Submits lines in groups and waits for the outcome of each by its replies and, when these do not come, by its status. Every
 * line ends once, by `onOutcome` or `onFault`, until `stop`: what was submitted then goes on without being waited for.
 */
export function createLineGroups(
  ports: Pick<BatchPorts, 'submit' | 'replies' | 'poller' | 'waitingRoom' | 'waitLimitMs'>,
  handlers: {
    readonly onOutcome: (line: DueLine, outcome: LineOutcome) => void;
    /** The lines were not submitted for sure. */
    readonly onFault: (lines: readonly DueLine[], error: unknown) => void;
  },
) {
  const stopped = new AbortController();
  /** Ends what a submitted group still waits for. */
  const open = new Set<() => void>();
  let gathered: DueLine[] = [];
  let timer: NodeJS.Timeout | undefined;
  let underWay = 0;
  let landed = Promise.withResolvers<void>();

  async function flush(): Promise<void> {
    while (underWay >= bounds.underWay && !stopped.signal.aborted) await landed.promise;
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length === 0 || stopped.signal.aborted) return;
    const lines = gathered;
    gathered = [];
    underWay++;
    void submit(lines).finally(() => {
      underWay--;
      landed.resolve();
      landed = Promise.withResolvers();
    });
  }

  async function submit(lines: readonly DueLine[]): Promise<void> {
    const commands = lines.map(({ command }) => command);
    const until = performance.now() + ports.waitLimitMs;
    for (let pause = busyPauseMs.first; ; pause = Math.min(pause * 2, busyPauseMs.most)) {
      let group: ReturnType<typeof startGroup> | undefined;
      try {
        const ticket = ports.waitingRoom.enter((lines[0] as DueLine).command.account);
        group = startGroup(lines, ticket);
        group.listen();
        await ports.submit(commands);
        group.watch();
        return;
      } catch (error) {
        group?.end();
        if (stopped.signal.aborted) return;
        if (!(error instanceof PublisherBusyError) || performance.now() > until) {
          handlers.onFault(lines, error);
          return;
        }
        await delay(pause, undefined, { signal: stopped.signal }).catch(() => {});
      }
    }
  }

  /** The waits of lines that are submitted together; they share their limit. */
  function startGroup(lines: readonly DueLine[], ticket: Ticket) {
    const waits = lines.map(
      (line): Wait => ({
        line,
        waiting: {
          requestId: line.command.requestId,
          bringsContent: false,
          namesCollection: line.command.set.kind === 'named',
        },
        settled: false,
        waiter: undefined,
        unwatch: undefined,
      }),
    );
    let left = waits.length;
    /** Outcomes are told only when the lines are durable: a reply may come before that is known. */
    let submitted = false;

    const see = (wait: Wait, next: Waiting): void => {
      if (wait.settled) return;
      wait.waiting = next;
      if (submitted) conclude(wait, settle(next, false));
    };
    function conclude(wait: Wait, outcome: LineOutcome | undefined): void {
      if (outcome === undefined || wait.settled) return;
      finish(wait);
      handlers.onOutcome(wait.line, outcome);
      left--;
      if (left === 0) end();
    }
    const atLimit = (): void => {
      if (!submitted) return;
      for (const wait of waits)
        conclude(wait, { kind: 'limit', stampId: wait.waiting.stampId ?? wait.waiting.requestId });
    };
    function end(): void {
      open.delete(end);
      forget();
      ticket.leave();
      for (const wait of waits) finish(wait);
    }
    open.add(end);
    let isOver = false;
    const forget = ticket.onEnd(() => {
      isOver = true;
      atLimit();
    });
    return {
      end,
      listen(): void {
        for (const wait of waits) {
          wait.waiter = ports.replies.wait(wait.waiting.requestId);
          wait.waiter.listen((reply) => see(wait, seeReply(wait.waiting, reply)));
        }
      },
      watch(): void {
        submitted = true;
        for (const wait of waits) {
          conclude(wait, settle(wait.waiting, false));
          if (wait.settled) continue;
          wait.unwatch = ports.poller.watch(wait.waiting.requestId, (stamp) =>
            see(wait, seeStatus(wait.waiting, stamp)),
          );
        }
        if (isOver) atLimit();
      },
    };
  }

  return {
    /** Takes a line in. No further one is to be given before the promise resolves, if there is one. */
    add(line: DueLine): Promise<void> | undefined {
      gathered.push(line);
      if (gathered.length >= bounds.lines) return flush();
      timer ??= setTimeout(() => void flush(), bounds.lingerMs);
      return undefined;
    },
    stop(): void {
      stopped.abort();
      clearTimeout(timer);
      landed.resolve();
      for (const end of [...open]) end();
    },
  };
}

function finish(wait: Wait): void {
  if (wait.settled) return;
  wait.settled = true;
  wait.waiter?.close();
  wait.unwatch?.();
}
