import type { Database } from '@indelible/postgres';
import { type Health, healthAfter, type Tally } from '../decisions/webhook-health.ts';
import { type Result, readDue, readWaiting, trimDeliveries } from '../tables/deliveries.ts';
import { disableWebhook } from './disable-webhook.ts';
import type { Lane } from './lane.ts';
import { type Progress, recordProgress } from './record-results.ts';

/** Kept of each webhook, of those that do not wait. */
export const keptDeliveries = 10_000;
/** On average so many are written between two trims. */
const trimEvery = 1_000;
/** So many deliveries of a webhook that wait are in memory. */
const mostDue = 16;

type Ports = { readonly database: Pick<Database, 'query' | 'transaction'>; readonly now: () => number };
type Part = {
  readonly lane: Lane;
  readonly results: readonly Result[];
  readonly health: Health;
  readonly position: number;
  /** Of its redelivery. */
  readonly again: number | undefined;
};

/** Reads what of a webhook waits, and what of it is due next: the lane rests until that is known. By one caller at a time. */
export async function refreshDue({ database }: Ports, lane: Lane): Promise<void> {
  const seen = lane.staleness();
  const due = await readDue(database, lane.webhook, lane.retrying(), mostDue);
  lane.setDue(due, await readWaiting(database, lane.webhook.webhookId), seen);
}

/**
 * Writes what became of the lanes' deliveries, and how far they are, in one transaction for all; disables those whose receivers do
 * not take anything.
 * @returns those that were disabled
 */
export async function writeProgress(ports: Ports, lanes: readonly Lane[]): Promise<readonly Lane[]> {
  const now = new Date(ports.now());
  const parts = lanes.map((lane) => partOf(lane, now));
  const progress: Progress = {
    results: parts.flatMap(({ results }) => results),
    moves: parts.flatMap(({ lane, position, health: { failingSince } }) => {
      const isMoved = position !== lane.savedPosition || failingSince?.getTime() !== lane.failingSince?.getTime();
      return isMoved ? [{ webhookId: lane.webhook.webhookId, position, failingSince }] : [];
    }),
    redeliveries: parts.flatMap(({ lane, again }) =>
      again === undefined ? [] : [{ webhookId: lane.webhook.webhookId, position: again }],
    ),
  };
  await recordProgress(ports.database, progress);
  for (const part of parts) noteWritten(part);

  const disabled: Lane[] = [];
  for (const { lane, results, health } of parts) {
    if (health.disable !== null && !lane.retired) {
      lane.retired = true;
      if ((await disableWebhook(ports.database, lane.webhook, health.disable, now)) !== undefined) disabled.push(lane);
    }
    if (Math.random() < results.length / trimEvery)
      await trimDeliveries(ports.database, lane.webhook.webhookId, keptDeliveries);
  }
  return disabled;
}

function noteWritten({ lane, results, position, again, health }: Part): void {
  const retried = new Set(lane.retrying());
  if (results.some((one) => one.status === 'waiting' || one.again || retried.has(one.position))) lane.markStale();
  lane.written(results);
  lane.savedPosition = position;
  lane.failingSince = health.failingSince;
  const { untilPosition } = lane.redelivery()?.redelivery ?? {};
  if (again !== undefined && untilPosition !== undefined && again >= untilPosition) lane.endRedelivery();
}

function partOf(lane: Lane, now: Date): Part {
  const seen = new Set<number>();
  // A redelivery of what waits as well: one statement takes one of the two, the next the other.
  const results = lane.unwritten().filter(({ position }) => !seen.has(position) && seen.add(position));
  const health = healthAfter(lane.failingSince, tallyOf(results), now);
  return { lane, results, health, position: lane.log.settledTo(), again: lane.redelivery()?.track.settledTo() };
}

function tallyOf(results: readonly Result[]): Tally {
  const tried = results.filter(({ attempt }) => attempt !== undefined);
  const delivered = tried.filter(({ status }) => status === 'delivered').length;
  const gone = tried.filter(({ attempt }) => attempt?.status === 410).length;
  return { delivered, gone, refused: tried.length - delivered - gone };
}
