import { type Backlog, createBacklogs } from '../decisions/collection-backlogs.ts';
import type { DeliveryStatus } from '../decisions/deliveries.ts';
import { createTrack } from '../decisions/delivery-track.ts';
import { createNextDelivery, type Delivery } from '../decisions/next-delivery.ts';
import { createReadAhead } from '../decisions/read-ahead.ts';
import { createPace } from '../decisions/receiver-pace.ts';
import { createWaitingDeliveries } from '../decisions/waiting-deliveries.ts';
import { type Attempted, afterAttempt } from '../decisions/webhook-retries.ts';
import type { Redelivery } from '../tables/redeliveries.ts';
import type { Webhook } from '../tables/webhook-row.ts';

/**
 * The in-memory state of one webhook with work: what is read ahead of its log, in flight, and waiting, and how fast its
 * receiver is. The decisions are in `../decisions`; the dispatcher reads, sends and writes.
 */
export function createLane(
  webhook: Webhook,
  redelivery: Redelivery | undefined,
  openedAt = 0,
  storedBacklogs: ReadonlyMap<string, number> = new Map(),
) {
  const log = createTrack(webhook.position);
  const backlogs = createBacklogs(storedBacklogs);
  const waiting = createWaitingDeliveries(webhook.webhookId);
  const pace = createPace();
  let again = redelivery && { redelivery, track: createTrack(redelivery.position) };
  let inFlight = 0;
  const sources = { ordered: webhook.ordered, log, backlogs, waiting, redelivery: () => again?.track };
  const { next, ended, mayContinue } = createNextDelivery(sources);
  const { wants, backlogsToRead } = createReadAhead({ ...sources, mayContinue, isFailing: pace.isFailing });

  const trackOf = ({ from, set }: Delivery) =>
    ({ log, backlog: backlogs.of(set)?.track, redelivery: again?.track, waiting: undefined })[from];

  return {
    webhook,
    openedAt,
    /** Nothing more is sent: the webhook changed, or it is other lanes' turn. */
    retired: false,
    /** Whether there is nothing more to read now; a notification resets it. */
    atEnd: { log: false, redelivery: false },
    idleSince: undefined as number | undefined,
    savedPosition: webhook.position,
    failingSince: webhook.failingSince,
    log,
    backlogs,
    redelivery: () => again,
    /** @param requested as in the table: a later one than the current starts when the current one has ended */
    startRedelivery(requested: Redelivery): void {
      if (again?.redelivery.requestedAt.getTime() === requested.requestedAt.getTime()) return;
      again = { redelivery: requested, track: createTrack(requested.position) };
      this.atEnd.redelivery = false;
    },
    endRedelivery(done: Redelivery): void {
      if (again?.redelivery === done) again = undefined;
    },
    inFlight: () => inFlight,
    /** Events in memory that are read ahead. */
    held: () => log.length() + backlogs.length() + (again?.track.length() ?? 0),
    waiting: waiting.all,
    /** Time of the oldest event neither delivered nor failed, in milliseconds; undefined without one. */
    oldest(): number | undefined {
      const firsts = [log, ...[...backlogs.all()].map(({ track }) => track)].map((track) => track.first());
      const times = [waiting.oldest()?.getTime(), ...firsts.map((first) => first && Date.parse(first.event.time))];
      const known = times.filter((time) => time !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    retrying: waiting.retrying,
    wants,
    backlogsToRead(): readonly Backlog[] {
      return this.retired ? [] : backlogsToRead();
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
    /** The event to send now; marks it as in flight. */
    next(now: number): Delivery | undefined {
      if (this.retired || waiting.isStale() || inFlight >= pace.placesAt(now)) return undefined;
      const delivery = next(now);
      if (delivery !== undefined) inFlight += 1;
      return delivery;
    },
    /** @param attempted undefined when this process ended the attempt @returns the delivery's status after the attempt */
    settle(delivery: Delivery, attempted: Attempted | undefined, now: number): DeliveryStatus | undefined {
      inFlight -= 1;
      ended(delivery);
      if (attempted === undefined) {
        waiting.putBack(delivery.position);
        return undefined;
      }
      const { attempt } = attempted;
      const tries = delivery.tries + 1;
      const { status, nextAttemptAt, restMs } = afterAttempt(attempted, tries, now, Math.random());
      waiting.note(delivery, { status, tries, again: delivery.again, nextAttemptAt, attempt });
      trackOf(delivery)?.settle(delivery.position);
      if (status === 'delivered') pace.delivered(attempt.durationMs);
      else pace.failed(attempt.durationMs, restMs, now);
      return status;
    },
    unwritten: waiting.unwritten,
    dropTexts: waiting.dropTexts,
    written: waiting.written,
  };
}
export type Lane = ReturnType<typeof createLane>;
