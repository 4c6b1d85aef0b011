import { type Backlog, createBacklogs } from '../decisions/collection-backlogs.ts';
import { createTrack, type Track, type TrackedEvent } from '../decisions/delivery-track.ts';
import { createPace } from '../decisions/receiver-pace.ts';
import { type Attempt, nextAttemptAt, outcomeOf } from '../decisions/webhook-retries.ts';
import type { DeliveryStatus, DueDelivery } from '../tables/deliveries.ts';
import type { Redelivery } from '../tables/redeliveries.ts';
import type { Webhook } from '../tables/webhooks.ts';
import { createWaitingDeliveries } from './waiting-deliveries.ts';

type Source = 'log' | 'backlog' | 'waiting' | 'redelivery';

/** An event on its way to a webhook. */
export type Delivery = TrackedEvent & {
  /** Whence it is: from the log as it grows, from what of a collection was left there, from what waits for a further attempt, or from a redelivery. */
  readonly from: Source;
  /** How often it was tried before. */
  readonly tries: number;
  readonly again: boolean;
};

/** Of a redelivery: new events go on beside it. */
const mostRedelivering = 2;
/** Deliveries of a webhook that wait for a further attempt; with more of them it gets no new events. */
const mostWaiting = 5_000;
/** Of a collection; with more, its events are left in the log, and those of others go on. */
const mostWaitingOfSet = 100;
/** Collections that were left in the log are read again, a few at a time. */
const mostBacklogsRead = 4;

/** For so long the events of a collection wait in memory for one that is on its way. */
const slowMs = 1_000;

/**
 * One webhook at work, in memory: what is read ahead of its log, what is on its way, what is due again, and how well its receiver takes
 * it.
 */
export function createLane(
  webhook: Webhook,
  redelivery: Redelivery | undefined,
  openedAt = 0,
  storedBacklogs: ReadonlyMap<string, number> = new Map(),
) {
  const log = createTrack(webhook.position);
  const backlogs = createBacklogs(storedBacklogs);
  let again = redelivery === undefined ? undefined : { redelivery, track: createTrack(redelivery.position) };
  const waiting = createWaitingDeliveries(webhook.webhookId);
  /** Collections of which an event is on its way, for those in order, and since when. */
  const busy = new Map<string, number>();
  let inFlight = 0;
  const pace = createPace();
  /** Which source has the next turn. */
  let turn = 0;

  /**
   * Whether one before it of its collection is on its way, or has failed and is not written yet, or may be in the part of the log that is not
   * read: an event that waits is in the table while those before it may be in the log alone.
   */
  const isBehind = (delivery: DueDelivery): boolean =>
    busy.has(delivery.set) ||
    log.readTo() < delivery.position ||
    log.isOpen(delivery.set, delivery.position) ||
    waiting.hasFailed(delivery);

  function nextWaiting(now: number): Delivery | undefined {
    const next = waiting.take(now, (one) => !webhook.ordered || one.again || !isBehind(one));
    return next && { ...next, from: 'waiting' };
  }

  function nextOfLog(now: number): Delivery | undefined {
    if (!webhook.ordered) {
      if (waiting.all() >= mostWaitingOfSet) leaveFull();
      return fresh(
        log.next(() => true),
        'log',
      );
    }
    // Behind an event that waits for a further attempt, the next ones of its collection wait in the same table; others go on.
    putAside(now, ({ set }) => waiting.isBlocked(set));
    const next = log.next(({ set }) => !busy.has(set));
    // So that one slow collection leaves room for the others.
    if (next === undefined && !log.hasRoom()) putAside(now, ({ set }) => now - (busy.get(set) ?? now) >= slowMs);
    return fresh(next, 'log');
  }

  /** Collections of which as many wait as may. */
  function leaveFull(): void {
    const full = new Map<string, boolean>();
    const isFull = (set: string): boolean => {
      const known = full.get(set) ?? waiting.of(set) >= mostWaitingOfSet;
      full.set(set, known);
      return known;
    };
    const left = log.take(
      (event) => !waiting.isOld(event) && isFull(event.set) && (backlogs.has(event.set) || backlogs.hasRoom()),
    );
    for (const event of left) if (!backlogs.has(event.set)) backlogs.begin(event.set, event.position - 1);
  }

  /** What was left of a collection goes on when all before it is settled, and in order when nothing of it waits. */
  const mayGoOn = ({ set, start }: Backlog, most: number): boolean =>
    log.readTo() >= start &&
    !log.isOpen(set, start) &&
    (webhook.ordered ? !busy.has(set) && !waiting.isBlocked(set) : waiting.of(set) < most);

  function nextOfBacklogs(): Delivery | undefined {
    for (const backlog of backlogs.all()) {
      if (backlog.track.length() === 0 || !mayGoOn(backlog, mostWaitingOfSet)) continue;
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

  function nextAgain(): Delivery | undefined {
    if (again === undefined || again.track.sending() >= mostRedelivering) return undefined;
    return fresh(
      again.track.next(() => true),
      'redelivery',
    );
  }

  const fresh = (event: TrackedEvent | undefined, from: 'log' | 'backlog' | 'redelivery'): Delivery | undefined =>
    event && { ...event, from, tries: 0, again: from === 'redelivery' };

  /** In the table, and in the log when the collection has many there. */
  function putAside(now: number, isTaken: (event: TrackedEvent) => boolean): void {
    const counts = new Map<string, number>();
    for (const event of log.take(isTaken)) {
      if (backlogs.leaves(event)) continue;
      const { set } = event;
      const count = counts.get(set) ?? waiting.of(set);
      if (count >= mostWaitingOfSet && !waiting.isOld(event) && !backlogs.has(set) && backlogs.hasRoom())
        backlogs.begin(set, event.position - 1);
      else {
        counts.set(set, count + 1);
        const over = { status: 'waiting', tries: 0, again: false, attempt: undefined } as const;
        waiting.note(event, { ...over, nextAttemptAt: new Date(now) });
      }
    }
  }

  const sources = [nextWaiting, nextOfLog, nextOfBacklogs, nextAgain];

  /** Sources take turns: what is refused again and again holds up nothing that the receiver takes. */
  function nextInTurn(now: number): Delivery | undefined {
    if (waiting.all() >= mostWaiting)
      return nextWaiting(now) ?? (waiting.isOld(log.first()) ? nextOfLog(now) : undefined);
    for (let tried = 0; tried < sources.length; tried++) {
      const delivery = sources[turn]?.(now);
      turn = (turn + 1) % sources.length;
      if (delivery !== undefined) return delivery;
    }
    return undefined;
  }

  return {
    webhook,
    openedAt,
    /** No further event goes out: what it was made of has changed. */
    retired: false,
    isReading: false,
    /** Whether there is nothing more to read now; a notification says otherwise. */
    atEnd: { log: false, redelivery: false },
    idleSince: undefined as number | undefined,
    savedPosition: webhook.position,
    failingSince: webhook.failingSince,
    log,
    redelivery: () => again,
    /** @param next as the table has it: another than the one under way comes when that one is done and written. */
    startRedelivery(next: Redelivery): void {
      if (again?.redelivery.requestedAt.getTime() === next.requestedAt.getTime()) return;
      again = { redelivery: next, track: createTrack(next.position) };
      this.atEnd.redelivery = false;
    },
    endRedelivery(ended: Redelivery): void {
      if (again?.redelivery === ended) again = undefined;
    },
    inFlight: () => inFlight,
    /** Events in memory that it has read ahead. */
    held: () => log.length() + backlogs.length() + (again?.track.length() ?? 0),
    waiting: waiting.all,
    /** When the oldest event began to wait that is neither delivered nor given up; undefined without one. */
    oldest(): number | undefined {
      const firsts = [log, ...[...backlogs.all()].map(({ track }) => track)].map((track) => track.first());
      const times = [waiting.oldest()?.getTime(), ...firsts.map((first) => first && Date.parse(first.event.time))];
      const known = times.filter((time) => time !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    retrying: waiting.retrying,
    /** Whether more is to be read: one that fails probes with what it has. */
    wants: (track: Track): boolean =>
      (waiting.all() < mostWaiting || (track === log && log.readTo() < waiting.last())) &&
      track.hasRoom() &&
      (!pace.isFailing() || track.length() === 0),
    backlogs,
    /** Those of which the next events are to be read. */
    backlogsToRead(): readonly Backlog[] {
      if (this.retired || waiting.all() >= mostWaiting) return [];
      let others = mostBacklogsRead;
      return [...backlogs.all()].filter((backlog) => {
        const { track } = backlog;
        if (track.length() === 0 && others === 0) return false;
        if (!mayGoOn(backlog, mostWaitingOfSet / 2) || track.readTo() >= log.readTo()) return false;
        others -= 1;
        return this.wants(track);
      });
    },
    isIdle: (): boolean =>
      inFlight === 0 &&
      waiting.all() === 0 &&
      waiting.unwritten().length === 0 &&
      log.length() === 0 &&
      backlogs.isEmpty() &&
      again === undefined,
    markStale: waiting.markStale,
    isStale: waiting.isStale,
    staleness: waiting.staleness,
    setDue: waiting.setDue,
    /** The next event to send now, which counts as on its way. */
    next(now: number): Delivery | undefined {
      if (this.retired || waiting.isStale() || inFlight >= pace.placesAt(now)) return undefined;
      const delivery = nextInTurn(now);
      if (delivery === undefined) return undefined;
      inFlight += 1;
      if (webhook.ordered && !delivery.again) busy.set(delivery.set, now);
      return delivery;
    },
    /** What an attempt showed; `undefined` when it was broken off on our side. */
    settle(delivery: Delivery, shown: { attempt: Attempt; retryAfter: string | undefined } | undefined, now: number) {
      inFlight -= 1;
      if (webhook.ordered && !delivery.again) busy.delete(delivery.set);
      if (shown === undefined) {
        waiting.putBack(delivery.position);
        return undefined;
      }
      const { attempt, retryAfter } = shown;
      const outcome = outcomeOf(attempt.status, retryAfter, now);
      const tries = delivery.tries + 1;
      const nextAt = outcome.kind === 'refused' ? nextAttemptAt(tries, outcome, now, Math.random()) : undefined;
      const status: DeliveryStatus =
        outcome.kind === 'delivered' ? 'delivered' : nextAt === undefined ? 'failed' : 'waiting';
      waiting.note(delivery, { status, tries, again: delivery.again, nextAttemptAt: nextAt ?? null, attempt });
      if (delivery.from === 'log') log.settle(delivery.position);
      if (delivery.from === 'backlog') backlogs.of(delivery.set)?.track.settle(delivery.position);
      if (delivery.from === 'redelivery') again?.track.settle(delivery.position);
      if (outcome.kind === 'delivered') pace.delivered(attempt.durationMs);
      else pace.failed(attempt.durationMs, outcome.kind === 'refused' ? outcome.retryAfterMs : 0, now);
      return { outcome: status };
    },
    unwritten: waiting.unwritten,
    dropTexts: waiting.dropTexts,
    written: waiting.written,
  };
}
export type Lane = ReturnType<typeof createLane>;
