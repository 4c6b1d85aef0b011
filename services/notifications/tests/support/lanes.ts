import type { LoggedEvent } from '@indelible/public-events';
import { type DueDelivery, nothingWaiting, type Waiting } from '../../src/decisions/deliveries.ts';
import type { TrackedEvent } from '../../src/decisions/delivery-track.ts';
import type { Delivery } from '../../src/decisions/next-delivery.ts';
import type { Webhook } from '../../src/tables/webhook-row.ts';
import { createLane, type Lane } from '../../src/webhooks/lane.ts';

export const start = Date.parse('2026-11-21T04:10:07Z');

export const webhookOf = (over: Partial<Webhook> = {}): Webhook => ({
  webhookId: 'w',
  account: '0x01',
  url: 'https://example.com/',
  types: ['stamp.failed'],
  collections: [],
  ordered: false,
  description: null,
  secret: Buffer.alloc(0),
  formerSecrets: [],
  status: 'enabled',
  disabledReason: null,
  disabledAt: null,
  position: 0,
  failingSince: null,
  createdAt: new Date(start),
  updatedAt: new Date(start),
  ...over,
});

/** As the table has it: so many, of one collection, the last at a position. */
export const waitingOf = (total: number, last: number, set = 'a'): Waiting => ({
  total,
  sets: new Map([[set, total]]),
  oldest: new Date(start),
  last,
});

export const dueAt = (position: number, set = 'a'): DueDelivery => ({
  ...trackedAt(position, set),
  ...{ tries: 0, again: false, dueAt: start },
});

/** Writes what there is to write. */
export function write(lane: Lane): void {
  const results = [...lane.unwritten()];
  lane.markStale();
  lane.written(results);
}

export const trackedAt = (position: number, set = 'a'): TrackedEvent => ({
  position,
  event: { id: `e${position}`, name: 'stamp.failed', time: '' } as LoggedEvent,
  set,
});

/** A lane that has read `count` events, none of which wait. */
export function laneWith(count: number, over: Partial<Webhook> = {}, setOf: (at: number) => string = () => 'a'): Lane {
  const lane = createLane(webhookOf(over), undefined);
  lane.setDue([], nothingWaiting, lane.staleness());
  lane.log.append(
    Array.from({ length: count }, (_, at) => trackedAt(at + 1, setOf(at))),
    count,
  );
  return lane;
}

export const shown = (status: number, over: { retryAfter?: string; durationMs?: number } = {}) => ({
  attempt: { at: '', status, body: '', error: null, durationMs: over.durationMs ?? 1 },
  retryAfter: over.retryAfter,
});

export function takeAll(lane: Lane, now = start): Delivery[] {
  const taken: Delivery[] = [];
  for (let one = lane.next(now); one !== undefined; one = lane.next(now)) taken.push(one);
  return taken;
}
