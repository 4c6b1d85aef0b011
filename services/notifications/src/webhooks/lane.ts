import { type Backlog, createBacklogs } from '../decisions/collection-backlogs.ts';
import { createTrack, type Track, type TrackedEvent } from '../decisions/delivery-track.ts';
import { createPace } from '../decisions/receiver-pace.ts';
import { type Attempt, nextAttemptAt, outcomeOf } from '../decisions/webhook-retries.ts';
import {
  type DeliveryStatus,
  type DueDelivery,
  nothingWaiting,
  type Result,
  type Waiting,
} from '../tables/deliveries.ts';
import type { Redelivery } from '../tables/redeliveries.ts';
import type { Webhook } from '../tables/webhooks.ts';

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
export const mostWaiting = 5_000;
/** Of a collection; with more, its events are left in the log, and those of others go on. */
export const mostWaitingOfSet = 100;
/** Collections that were left in the log are read again, a few at a time. */
const mostBacklogsRead = 4;

/** For so long the events of a collection wait in memory for one that is on its way. */
const slowMs = 1_000;

const unstorable = 'internal: the answer could not be stored';

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
  let waiting = nothingWaiting;
  let due: readonly DueDelivery[] = [];
  /** Collections of which an event is on its way, for those in order, and since when. */
  const busy = new Map<string, number>();
  /** Positions of `due` on their way, or whose results are not written. */
  const retrying = new Set<number>();
  let results: Result[] = [];
  let inFlight = 0;
  const pace = createPace();
  /** Which source has the next turn. */
  let turn = 0;
  /** How often what waits has changed in the table, and as of which change it was read. */
  let changes = 1;
  let changesRead = 0;

  const isBlocked = (set: string): boolean =>
    waiting.sets.has(set) || results.some((one) => one.status === 'waiting' && !one.again && one.set === set);
  /** An event before the last one that waits was read before: it is not a new one. */
  const isOld = (event: TrackedEvent | undefined): boolean => event !== undefined && event.position <= waiting.last;
  const waitsOf = (set: string): number =>
    (waiting.sets.get(set) ?? 0) +
    results.filter((one) => one.status === 'waiting' && !one.again && one.set === set).length;
  const waits = (): number => waiting.total + results.filter((one) => one.status === 'waiting').length;
  const resultOf = (
    event: TrackedEvent,
    over: Omit<Result, 'webhookId' | 'position' | 'eventId' | 'type' | 'set'>,
  ) => ({
    webhookId: webhook.webhookId,
    position: event.position,
    eventId: event.event.id,
    type: event.event.name,
    set: event.set,
    ...over,
  });

  /**
   * Whether one before it of its collection is on its way, or has failed and is not written yet, or may be in the part of the log that is not
   * read: an event that waits is in the table while those before it may be in the log alone.
   */
  const isBehind = ({ set, position }: DueDelivery): boolean =>
    busy.has(set) ||
    log.readTo() < position ||
    log.isOpen(set, position) ||
    results.some((one) => one.status === 'waiting' && !one.again && one.set === set && one.position <= position);

  function nextWaiting(now: number): Delivery | undefined {
    const next = due.find(
      (one) => one.dueAt <= now && !retrying.has(one.position) && !(webhook.ordered && !one.again && isBehind(one)),
    );
    if (next === undefined) return undefined;
    retrying.add(next.position);
    return { ...next, from: 'waiting' };
  }

  function nextOfLog(now: number): Delivery | undefined {
    if (!webhook.ordered) {
      if (waits() >= mostWaitingOfSet) leaveFull();
      return fresh(
        log.next(() => true),
        'log',
      );
    }
    // Behind an event that waits for a further attempt, the next ones of its collection wait in the same table; others go on.
    putAside(now, ({ set }) => isBlocked(set));
    const next = log.next(({ set }) => !busy.has(set));
    // So that one slow collection leaves room for the others.
    if (next === undefined && !log.hasRoom()) putAside(now, ({ set }) => now - (busy.get(set) ?? now) >= slowMs);
    return fresh(next, 'log');
  }

  /** Collections of which as many wait as may. */
  function leaveFull(): void {
    const full = new Map<string, boolean>();
    const isFull = (set: string): boolean => {
      const known = full.get(set) ?? waitsOf(set) >= mostWaitingOfSet;
      full.set(set, known);
      return known;
    };
    const left = log.take(
      (event) => !isOld(event) && isFull(event.set) && (backlogs.has(event.set) || backlogs.hasRoom()),
    );
    for (const event of left) if (!backlogs.has(event.set)) backlogs.begin(event.set, event.position - 1);
  }

  /** What was left of a collection goes on when all before it is settled, and in order when nothing of it waits. */
  const mayGoOn = ({ set, start }: Backlog, most: number): boolean =>
    log.readTo() >= start &&
    !log.isOpen(set, start) &&
    (webhook.ordered ? !busy.has(set) && !isBlocked(set) : waitsOf(set) < most);

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
      const count = counts.get(set) ?? waitsOf(set);
      if (count >= mostWaitingOfSet && !isOld(event) && !backlogs.has(set) && backlogs.hasRoom())
        backlogs.begin(set, event.position - 1);
      else {
        counts.set(set, count + 1);
        const over = { status: 'waiting', tries: 0, again: false, attempt: undefined } as const;
        results.push(resultOf(event, { ...over, nextAttemptAt: new Date(now) }));
      }
    }
  }

  const sources = [nextWaiting, nextOfLog, nextOfBacklogs, nextAgain];

  /** Sources take turns: what is refused again and again holds up nothing that the receiver takes. */
  function nextInTurn(now: number): Delivery | undefined {
    if (waits() >= mostWaiting) return nextWaiting(now) ?? (isOld(log.first()) ? nextOfLog(now) : undefined);
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
    waiting: waits,
    /** When the oldest event began to wait that is neither delivered nor given up; undefined without one. */
    oldest(): number | undefined {
      const firsts = [log, ...[...backlogs.all()].map(({ track }) => track)].map((track) => track.first());
      const times = [waiting.oldest?.getTime(), ...firsts.map((first) => first && Date.parse(first.event.time))];
      const known = times.filter((time) => time !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    retrying: (): readonly number[] => [...retrying],
    /** Whether more is to be read: one that fails probes with what it has. */
    wants: (track: Track): boolean =>
      (waits() < mostWaiting || (track === log && log.readTo() < waiting.last)) &&
      track.hasRoom() &&
      (!pace.isFailing() || track.length() === 0),
    backlogs,
    /** Those of which the next events are to be read. */
    backlogsToRead(): readonly Backlog[] {
      if (this.retired || waits() >= mostWaiting) return [];
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
      waits() === 0 &&
      results.length === 0 &&
      log.length() === 0 &&
      backlogs.isEmpty() &&
      again === undefined,
    /** What waits has changed in the table: nothing is sent until it is read again. */
    markStale(): void {
      changes += 1;
    },
    isStale: (): boolean => changes !== changesRead,
    staleness: (): number => changes,
    /** @param asOf the staleness before it was read */
    setDue(next: readonly DueDelivery[], counted: Waiting, asOf: number): void {
      due = next;
      waiting = counted;
      changesRead = asOf;
    },
    /** The next event to send now, which counts as on its way. */
    next(now: number): Delivery | undefined {
      if (this.retired || this.isStale() || inFlight >= pace.placesAt(now)) return undefined;
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
        retrying.delete(delivery.position);
        return undefined;
      }
      const { attempt, retryAfter } = shown;
      const outcome = outcomeOf(attempt.status, retryAfter, now);
      const tries = delivery.tries + 1;
      const nextAt = outcome.kind === 'refused' ? nextAttemptAt(tries, outcome, now, Math.random()) : undefined;
      const status: DeliveryStatus =
        outcome.kind === 'delivered' ? 'delivered' : nextAt === undefined ? 'failed' : 'waiting';
      results.push(
        resultOf(delivery, { status, tries, again: delivery.again, nextAttemptAt: nextAt ?? null, attempt }),
      );
      if (delivery.from === 'log') log.settle(delivery.position);
      if (delivery.from === 'backlog') backlogs.of(delivery.set)?.track.settle(delivery.position);
      if (delivery.from === 'redelivery') again?.track.settle(delivery.position);
      if (outcome.kind === 'delivered') pace.delivered(attempt.durationMs);
      else pace.failed(attempt.durationMs, outcome.kind === 'refused' ? outcome.retryAfterMs : 0, now);
      return { outcome: status };
    },
    /** What is to be written; it counts as waiting until {@link written}. */
    unwritten: (): readonly Result[] => results,
    /** What receivers answered cannot be stored: how deliveries ended can. */
    dropTexts(): void {
      results = results.map((one) =>
        one.attempt === undefined ? one : { ...one, attempt: { ...one.attempt, body: null, error: unstorable } },
      );
    },
    written(done: readonly Result[]): void {
      const gone = new Set(done);
      results = results.filter((one) => !gone.has(one));
      for (const { position } of done) retrying.delete(position);
    },
  };
}
export type Lane = ReturnType<typeof createLane>;
