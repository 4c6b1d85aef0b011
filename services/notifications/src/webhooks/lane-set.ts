import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { findRedeliveries } from '../tables/redeliveries.ts';
import type { Webhook } from '../tables/webhook-row.ts';
import { findEnabled, findWork } from '../tables/webhook-work.ts';
import type { Lane } from './lane.ts';
import { openLanes } from './lane-source.ts';
import type { SharedLog } from './shared-log.ts';
import { refreshDue } from './write-progress.ts';

/** Most webhooks with work at once; above it, they take turns. */
const usualMost = 10_000;
/** How long a lane keeps its place while others wait. */
const turnMs = 30_000;
const firstId = '00000000-0000-0000-0000-000000000000';
const discoverEveryMs = 10_000;
/** While not all were found, or had a place. */
const discoverSoonMs = 1_000;
/** How long an idle lane is kept: its next event needs fewer queries. */
const idleMs = 60_000;

/** The webhooks with work: found through notifications, and by polling every few seconds in case one was missed. */
export function createLaneSet(ports: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly now: () => number;
  readonly log: Pick<SharedLog, 'hearGrown'>;
  readonly mostLanes?: number;
}) {
  const { database, now, mostLanes = usualMost } = ports;
  const lanes = new Map<string, Lane>();
  const grown = new Set<Hex>();
  const changed = new Set<string>();
  let discoverAt = 0;
  /** The next query starts after this webhook, so that each gets its turn. */
  let lookedTo = firstId;

  async function open(webhooks: readonly Webhook[]): Promise<void> {
    const wanted = webhooks.filter(({ webhookId }) => !lanes.has(webhookId));
    const fresh = wanted.slice(0, mostLanes - lanes.size);
    for (const lane of await openLanes(ports, fresh, now())) lanes.set(lane.webhook.webhookId, lane);
    makeRoom(wanted.length - fresh.length);
  }

  /** Closes the lanes opened first, once they have nothing in flight: their other events wait for their next turn. */
  function makeRoom(wanted: number): void {
    let left = wanted;
    for (const lane of lanes.values()) {
      if (left <= 0) return;
      if (now() - lane.openedAt >= turnMs) lane.retired = true;
      if (lane.retired) left -= 1;
    }
  }

  async function openGrown(): Promise<void> {
    const accounts = [...grown];
    grown.clear();
    try {
      await open(await findEnabled(database, { accounts }));
    } catch (error) {
      for (const account of accounts) grown.add(account);
      throw error;
    }
  }

  /** A changed webhook gets a new lane, once the old one has nothing in flight; if only its deliveries changed, they are read again. */
  async function openChanged(): Promise<void> {
    const ids = [...changed];
    // Before the query, so that a change during the query is read again.
    changed.clear();
    try {
      await replaceLanes(ids);
    } catch (error) {
      for (const id of ids) changed.add(id);
      throw error;
    }
  }

  async function replaceLanes(ids: readonly string[]): Promise<void> {
    const found = new Map((await findEnabled(database, { ids })).map((webhook) => [webhook.webhookId, webhook]));
    for (const id of ids) {
      const lane = lanes.get(id);
      const webhook = found.get(id);
      if (lane === undefined) continue;
      if (webhook?.updatedAt.getTime() !== lane.webhook.updatedAt.getTime()) lane.retired = true;
    }
    const redeliveries = await findRedeliveries(database, [...found.keys()]);
    for (const id of found.keys()) {
      const lane = lanes.get(id);
      const redelivery = redeliveries.get(id);
      if (redelivery !== undefined) lane?.startRedelivery(redelivery);
      lane?.markStale();
    }
    await open([...found.values()]);
    // A webhook whose lane is closing is opened afterwards.
    for (const id of ids) if (lanes.get(id)?.retired === true && found.has(id)) changed.add(id);
  }

  async function discover(): Promise<void> {
    const found = await findWork(database, lookedTo, mostLanes);
    const isAll = found.length < mostLanes;
    ports.log.hearGrown(undefined);
    const known = found.flatMap(({ webhookId }) => lanes.get(webhookId) ?? []);
    const redeliveries = await findRedeliveries(
      database,
      known.map(({ webhook }) => webhook.webhookId),
    );
    for (const lane of known) {
      lane.atEnd.log = false;
      const redelivery = redeliveries.get(lane.webhook.webhookId);
      if (redelivery !== undefined) lane.startRedelivery(redelivery);
    }
    await open(found);
    // The next query starts with those without a place.
    const left = found.findIndex(({ webhookId }) => !lanes.has(webhookId));
    if (left >= 0) lookedTo = found[left - 1]?.webhookId ?? lookedTo;
    else lookedTo = isAll ? firstId : (found.at(-1)?.webhookId ?? firstId);
    discoverAt = now() + (isAll && left < 0 ? discoverEveryMs : discoverSoonMs);
  }

  return {
    all: (): Iterable<Lane> => lanes.values(),
    /** Accounts whose logs have grown; undefined when unknown. */
    hearGrown(accounts: readonly Hex[] | undefined): void {
      ports.log.hearGrown(accounts);
      if (accounts === undefined) discoverAt = 0;
      else for (const account of accounts) grown.add(account);
      for (const lane of lanes.values())
        if (accounts === undefined || accounts.includes(lane.webhook.account)) lane.atEnd.log = false;
    },
    /** Nothing more is sent with the webhook's old settings. */
    hearChanged(webhookId: string): void {
      changed.add(webhookId);
      lanes.get(webhookId)?.markStale();
    },
    /** Opens lanes of webhooks with work, and closes idle ones. */
    async tend(): Promise<void> {
      if (now() >= discoverAt) await discover();
      if (grown.size > 0) await openGrown();
      if (changed.size > 0) await openChanged();
      const stale = [...lanes.values()].filter(
        (lane) => lane.isStale() && !lane.retired && !changed.has(lane.webhook.webhookId),
      );
      await refreshDue(ports, stale);
      for (const [id, lane] of lanes) {
        if (!lane.isIdle()) lane.idleSince = undefined;
        else lane.idleSince ??= now();
        const isEnded = lane.retired && lane.inFlight() === 0 && lane.unwritten().length === 0;
        const isIdle = lane.idleSince !== undefined && now() - lane.idleSince > idleMs && lane.atEnd.log;
        if (isEnded || isIdle) lanes.delete(id);
      }
    },
  };
}
