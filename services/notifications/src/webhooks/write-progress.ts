import type { Database } from '@indelible/postgres';
import { healthAfter, type Tally } from '../decisions/webhook-health.ts';
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
  readonly position: number;
  readonly again: number;
};

/** Reads what of a webhook waits, and what of it is due next. @param done results that were written just now */
export async function refreshDue({ database }: Ports, lane: Lane, done: readonly Result[]): Promise<void> {
  lane.isDueStale = false;
  const written = new Set(done.map(({ position }) => position));
  const except = lane.retrying().filter((position) => !written.has(position));
  try {
    const due = await readDue(database, lane.webhook, except, mostDue);
    const waiting = await readWaiting(database, lane.webhook.webhookId);
    lane.setDue(due, waiting);
  } catch (error) {
    lane.isDueStale = true;
    throw error;
  }
}

/**
 * Writes what became of the lanes' deliveries, and how far they are, in one transaction for all; disables those whose receivers do
 * not take anything.
 * @returns the events of those that were disabled
 */
export async function writeProgress(ports: Ports, lanes: readonly Lane[]): Promise<readonly Lane[]> {
  const parts = lanes.map(partOf);
  const now = new Date(ports.now());
  const healths = parts.map(({ lane, results }) => healthAfter(lane.failingSince, tallyOf(results), now));
  const progress: Progress = {
    results: parts.flatMap(({ results }) => results),
    moves: parts.flatMap(({ lane, position }, at) => {
      const failingSince = healths[at]?.failingSince ?? null;
      const isMoved = position !== lane.savedPosition || failingSince?.getTime() !== lane.failingSince?.getTime();
      return isMoved ? [{ webhookId: lane.webhook.webhookId, position, failingSince }] : [];
    }),
    redeliveries: parts.flatMap(({ lane, again }) =>
      again < 0 ? [] : [{ webhookId: lane.webhook.webhookId, position: again }],
    ),
  };
  await recordProgress(ports.database, progress);

  const disabled: Lane[] = [];
  for (const [at, { lane, results, position, again }] of parts.entries()) {
    const health = healths[at] as (typeof healths)[number];
    lane.savedPosition = position;
    lane.failingSince = health.failingSince;
    if (again >= 0 && again >= (lane.redelivery()?.redelivery.untilPosition ?? 0)) lane.endRedelivery();
    if (health.disable !== null && !lane.retired) {
      lane.retired = true;
      if ((await disableWebhook(ports.database, lane.webhook, health.disable, now)) !== undefined) disabled.push(lane);
    }
    const retried = new Set(lane.retrying());
    if (lane.isDueStale || results.some((one) => one.status === 'waiting' || retried.has(one.position)))
      await refreshDue(ports, lane, results);
    lane.written(results);
    if (Math.random() < results.length / trimEvery)
      await trimDeliveries(ports.database, lane.webhook.webhookId, keptDeliveries);
  }
  return disabled;
}

function partOf(lane: Lane): Part {
  const seen = new Set<number>();
  // A redelivery of what waits as well: one statement takes one of the two, the next the other.
  const results = lane.unwritten().filter(({ position }) => !seen.has(position) && seen.add(position));
  return { lane, results, position: lane.log.settledTo(), again: lane.redelivery()?.track.settledTo() ?? -1 };
}

function tallyOf(results: readonly Result[]): Tally {
  const tried = results.filter(({ attempt }) => attempt !== undefined);
  const delivered = tried.filter(({ status }) => status === 'delivered').length;
  const gone = tried.filter(({ attempt }) => attempt?.status === 410).length;
  return { delivered, gone, refused: tried.length - delivered - gone };
}
