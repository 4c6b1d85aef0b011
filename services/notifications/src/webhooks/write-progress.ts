import type { Database } from '@indelible/postgres';
import type { BacklogChanges } from '../decisions/collection-backlogs.ts';
import { nothingWaiting, type Result } from '../decisions/deliveries.ts';
import { type Health, healthAfter, type Tally } from '../decisions/webhook-health.ts';
import { readDue, readWaiting, trimDeliveries } from '../tables/deliveries.ts';
import type { Redelivery } from '../tables/redeliveries.ts';
import type { BacklogRow } from '../tables/webhook-backlogs.ts';
import { disableWebhook } from './disable-webhook.ts';
import type { Lane } from './lane.ts';
import { type Progress, recordProgress } from './record-results.ts';

/** Kept per webhook, not counting those that wait. */
export const keptDeliveries = 10_000;
/** Deliveries written between two trims, on average. */
const trimEvery = 1_000;
/** Waiting deliveries of a webhook in memory. */
const mostDue = 16;

type Ports = { readonly database: Pick<Database, 'query' | 'transaction'>; readonly now: () => number };
type Part = {
  readonly lane: Lane;
  readonly results: readonly Result[];
  readonly health: Health;
  readonly position: number;
  readonly backlogs: BacklogChanges;
  readonly again: { readonly redelivery: Redelivery; readonly position: number } | undefined;
};

/** Per statement. */
const mostRefreshed = 200;

/**
 * Reads webhooks' waiting deliveries and which are due next: their lanes send nothing until then. For one caller at a
 * time.
 */
export async function refreshDue({ database }: Ports, lanes: readonly Lane[]): Promise<void> {
  for (let first = 0; first < lanes.length; first += mostRefreshed) {
    const some = lanes.slice(first, first + mostRefreshed);
    const seen = some.map((lane) => lane.staleness());
    const wanted = some.map((lane) => ({ ...lane.webhook, except: lane.retrying() }));
    const due = await readDue(database, wanted, mostDue);
    const waiting = await readWaiting(
      database,
      wanted.map(({ webhookId }) => webhookId),
    );
    for (const [at, lane] of some.entries()) {
      const { webhookId } = lane.webhook;
      lane.setDue(due.get(webhookId) ?? [], waiting.get(webhookId) ?? nothingWaiting, seen[at] as number);
    }
  }
}

/**
 * Writes the results and positions of lanes in one transaction; disables webhooks whose receivers accept nothing.
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
    redeliveries: parts.flatMap(({ again }) =>
      again === undefined ? [] : [{ ...again.redelivery, position: again.position }],
    ),
  };
  await recordProgress(ports.database, { ...progress, backlogs: backlogsOf(parts) });
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

function backlogsOf(parts: readonly Part[]): NonNullable<Progress['backlogs']> {
  const rows = (pick: (changes: BacklogChanges) => BacklogChanges['moved']): readonly BacklogRow[] =>
    parts.flatMap(({ lane, backlogs }) => pick(backlogs).map((one) => ({ ...one, webhookId: lane.webhook.webhookId })));
  const ended = parts.flatMap(({ lane, position, backlogs }) =>
    backlogs.ended.map((set) => ({ webhookId: lane.webhook.webhookId, set, position })),
  );
  return { begun: rows(({ begun }) => begun), moved: rows(({ moved }) => moved), ended };
}

function noteWritten({ lane, results, position, again, backlogs, health }: Part): void {
  const retried = new Set(lane.retrying());
  if (results.some((one) => one.status === 'waiting' || one.again || retried.has(one.position))) lane.markStale();
  lane.written(results);
  lane.backlogs.written(backlogs);
  lane.savedPosition = position;
  lane.failingSince = health.failingSince;
  if (again !== undefined && again.position >= again.redelivery.untilPosition) lane.endRedelivery(again.redelivery);
}

function partOf(lane: Lane, now: Date): Part {
  const seen = new Set<number>();
  // Redelivering a waiting event gives two results for it: this statement takes one, the next the other.
  const results = lane.unwritten().filter(({ position }) => !seen.has(position) && seen.add(position));
  const health = healthAfter(lane.failingSince, tallyOf(results), now);
  const again = lane.redelivery();
  return {
    ...{ lane, results, health, position: lane.log.settledTo() },
    backlogs: lane.backlogs.changes(lane.log.readTo()),
    again: again && { redelivery: again.redelivery, position: again.track.settledTo() },
  };
}

function tallyOf(results: readonly Result[]): Tally {
  const tried = results.filter(({ attempt }) => attempt !== undefined);
  const delivered = tried.filter(({ status }) => status === 'delivered').length;
  const gone = tried.filter(({ attempt }) => attempt?.status === 410).length;
  return { delivered, gone, refused: tried.length - delivered - gone };
}
