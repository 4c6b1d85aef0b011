import { setTimeout as delay } from 'node:timers/promises';
import { type OutgoingMessage, PublisherBusyError } from '@indelible/kafka';
import type { RequestStamp } from '@indelible/messages';
import { type AwaitedStamp, type SeenStamp, untilConfirmed, type Waiting } from '../../decisions/wait-for-stamp.ts';
import { OutcomeWait } from '../commands/await-outcome.ts';
import { type Submission, submit as submitCommands } from '../commands/submit.ts';
import type { Slot } from './answer-queue.ts';
import type { BatchPorts } from './ports.ts';

/** A line to stamp. */
export type DueLine = {
  readonly slot: Slot;
  readonly command: OutgoingMessage<typeof RequestStamp>;
  /** Whether it counts towards its account's quota. */
  isCounted: boolean;
};

/** A line is submitted together with others that come within `lingerMs`; `underWay` groups of a batch are published at once. */
const bounds = { lines: 500, lingerMs: 10, underWay: 4 };
const busyPauseMs = { first: 25, most: 500 };

/**
 * Submits lines in groups and waits for each outcome, by replies or, failing these, by status. Every line ends once, by
 * `onOutcome` or `onFault`, until `stop`: lines submitted by then continue, but nobody waits for them. The others are
 * dropped.
 */
export function createLineGroups(
  ports: Pick<BatchPorts, 'publisher' | 'replies' | 'poller' | 'waitingRoom' | 'waitLimitMs'>,
  handlers: {
    readonly onOutcome: (line: DueLine, outcome: AwaitedStamp) => void;
    /** Publishing the lines failed. */
    readonly onFault: (lines: readonly DueLine[], error: unknown, mayBePublished: boolean) => void;
    /** The lines were not published, because the batch was stopped. */
    readonly onDropped: (lines: readonly DueLine[]) => void;
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
    if (gathered.length === 0) return;
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
    const until = performance.now() + ports.waitLimitMs;
    for (let pause = busyPauseMs.first; ; pause = Math.min(pause * 2, busyPauseMs.most)) {
      if (stopped.signal.aborted) return handlers.onDropped(lines);
      const submission: Submission = { mayBePublished: false };
      let group: ReturnType<typeof startGroup> | undefined;
      try {
        group = startGroup(lines);
        group.listen();
        await submitCommands(
          ports.publisher,
          submission,
          lines.map(({ command }) => command),
        );
        group.begin();
        return;
      } catch (error) {
        group?.end();
        if (!(error instanceof PublisherBusyError) || performance.now() > until)
          return handlers.onFault(lines, error, submission.mayBePublished);
        await delay(pause, undefined, { signal: stopped.signal }).catch(() => {});
      }
    }
  }

  /** The waits of lines that are submitted together; they share their limit. */
  function startGroup(lines: readonly DueLine[]) {
    const ticket = ports.waitingRoom.enter((lines[0] as DueLine).command.data.account);
    const waits: OutcomeWait<Waiting, SeenStamp, AwaitedStamp>[] = [];
    let left = lines.length;
    let isOver = false;
    let forget = (): void => {};

    const conclude = (line: DueLine, outcome: AwaitedStamp): void => {
      handlers.onOutcome(line, outcome);
      left--;
      if (left === 0) end();
    };
    function end(): void {
      isOver = true;
      open.delete(end);
      forget();
      ticket.leave();
      for (const wait of waits) wait.close();
    }
    open.add(end);
    return {
      end,
      listen(): void {
        for (const line of lines) {
          const { requestId, set } = line.command.data;
          const start = { requestId, bringsContent: false, namesCollection: set.kind === 'named' };
          const waiter = ports.replies.wait(requestId);
          waits.push(new OutcomeWait(untilConfirmed, start, waiter, (outcome) => conclude(line, outcome)));
        }
      },
      /** Outcomes are reported only when the lines are durable: a reply may come before that is known. */
      begin(): void {
        if (isOver) return;
        for (const [i, { command }] of lines.entries())
          waits[i]?.begin((onStatus) => ports.poller.watch(command.data.requestId, onStatus));
        if (isOver) return;
        forget = ticket.onEnd(() => {
          for (const wait of waits) wait.endAtLimit();
        });
      },
    };
  }

  return {
    /** Adds a line. If it returns a promise, await that before the next one. */
    add(line: DueLine): Promise<void> | undefined {
      gathered.push(line);
      if (gathered.length >= bounds.lines) return flush();
      timer ??= setTimeout(() => void flush(), bounds.lingerMs);
      return undefined;
    },
    stop(): void {
      stopped.abort();
      landed.resolve();
      void flush();
      for (const end of [...open]) end();
    },
  };
}
