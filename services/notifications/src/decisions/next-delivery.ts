import type { Backlog, Backlogs } from './collection-backlogs.ts';
import type { DueDelivery } from './deliveries.ts';
import type { Track, TrackedEvent } from './delivery-track.ts';
import { createPutAside } from './put-aside.ts';
import { mostWaiting, mostWaitingOfSet, type WaitingDeliveries } from './waiting-deliveries.ts';

type Source = 'log' | 'backlog' | 'waiting' | 'redelivery';

/** An event to send to a webhook. */
export type Delivery = TrackedEvent & {
  /**
   * New events of the log; a collection's events left in the log; deliveries that wait for another attempt; a
   * redelivery.
   */
  readonly from: Source;
  /** Earlier attempts. */
  readonly tries: number;
  readonly again: boolean;
};

/** Of a redelivery: new events go on beside it. */
const mostRedelivering = 2;
/** After this time behind an event in flight, a collection's next events make room for others. */
const slowMs = 1_000;

/**
 * Decides which event of a webhook is sent next, and which wait in the table or stay in the log so that others go on.
 * @param sources what is read of the webhook; `redelivery` is undefined while none was requested
 */
export function createNextDelivery(sources: {
  readonly ordered: boolean;
  readonly log: Track;
  readonly backlogs: Backlogs;
  readonly waiting: WaitingDeliveries;
  readonly redelivery: () => Track | undefined;
}) {
  const { ordered, log, backlogs, waiting } = sources;
  const { leaveFull, putAside } = createPutAside(sources);
  /** Collections with an event in flight, and since when, for an ordered webhook. */
  const busy = new Map<string, number>();
  /** The source with the next turn. */
  let turn = 0;

  /**
   * Whether an earlier event of its collection is in flight, or failed and is not written yet, or may be in the unread
   * part of the log: a waiting event is in the table while earlier ones may only be in the log.
   */
  const isBehind = (delivery: DueDelivery): boolean =>
    busy.has(delivery.set) ||
    log.readTo() < delivery.position ||
    log.isOpen(delivery.set, delivery.position) ||
    waiting.hasFailed(delivery);

  function nextWaiting(now: number): Delivery | undefined {
    const next = waiting.take(now, (one) => !ordered || one.again || !isBehind(one));
    return next && { ...next, from: 'waiting' };
  }

  function nextOfLog(now: number): Delivery | undefined {
    if (!ordered) {
      if (waiting.all() >= mostWaitingOfSet) leaveFull();
      return fresh(
        log.next(() => true),
        'log',
      );
    }
    // Behind an event that waits for another attempt, its collection's next events wait in the same table; others
    // continue.
    putAside(now, ({ set }) => waiting.isBlocked(set));
    const next = log.next(({ set }) => !busy.has(set));
    // One slow collection must leave room for others.
    if (next === undefined && !log.hasRoom()) putAside(now, ({ set }) => now - (busy.get(set) ?? now) >= slowMs);
    return fresh(next, 'log');
  }

  /**
   * A backlog continues when everything before it is settled and, for an ordered webhook, nothing of its collection
   * waits.
   */
  const mayContinue = ({ set, start }: Backlog, most = mostWaitingOfSet): boolean =>
    log.readTo() >= start &&
    !log.isOpen(set, start) &&
    (ordered ? !busy.has(set) && !waiting.isBlocked(set) : waiting.of(set) < most);

  function nextOfBacklogs(): Delivery | undefined {
    for (const backlog of backlogs.all()) {
      if (backlog.track.length() === 0 || !mayContinue(backlog)) continue;
      const next = fresh(
        backlog.track.next(() => true),
        'backlog',
      );
      if (next === undefined) continue;
      backlogs.passTurn(next.set);
      return next;
    }
    return undefined;
  }

  function nextOfRedelivery(): Delivery | undefined {
    const track = sources.redelivery();
    if (track === undefined || track.sending() >= mostRedelivering) return undefined;
    return fresh(
      track.next(() => true),
      'redelivery',
    );
  }

  const turns = [nextWaiting, nextOfLog, nextOfBacklogs, nextOfRedelivery];

  /** Sources take turns: repeatedly refused events must not hold up those the receiver accepts. */
  function nextInTurn(now: number): Delivery | undefined {
    if (waiting.all() >= mostWaiting)
      return nextWaiting(now) ?? (waiting.isOld(log.first()) ? nextOfLog(now) : undefined);
    for (let tried = 0; tried < turns.length; tried++) {
      const delivery = turns[turn]?.(now);
      turn = (turn + 1) % turns.length;
      if (delivery !== undefined) return delivery;
    }
    return undefined;
  }

  return {
    mayContinue,
    /** The event to send now; marks it as in flight. */
    next(now: number): Delivery | undefined {
      const delivery = nextInTurn(now);
      if (delivery !== undefined && ordered && !delivery.again) busy.set(delivery.set, now);
      return delivery;
    },
    /** It is no longer in flight. */
    ended(delivery: Delivery): void {
      if (ordered && !delivery.again) busy.delete(delivery.set);
    },
  };
}

const fresh = (event: TrackedEvent | undefined, from: Exclude<Source, 'waiting'>): Delivery | undefined =>
  event && { ...event, from, tries: 0, again: from === 'redelivery' };
