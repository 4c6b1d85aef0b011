import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { setOf } from '@indelible/public-events';
import type { Backlog } from '../decisions/collection-backlogs.ts';
import { findRedeliveries } from '../tables/redeliveries.ts';
import { findBacklogs } from '../tables/webhook-backlogs.ts';
import type { Webhook } from '../tables/webhook-row.ts';
import { type ReadLogRows, readLogged } from '../use-cases/read-events.ts';
import type { Sealer } from '../webhook-requests/sealer.ts';
import type { Receiver } from './deliver.ts';
import { createLane, type Lane } from './lane.ts';
import { validSecrets } from './manage.ts';
import { urlOf } from './sealed-url.ts';
import { refreshDue } from './write-progress.ts';

type Ports = {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly now: () => number;
};

/** Makes lanes for webhooks, with their waiting deliveries, before anything is sent. */
export async function openLanes(ports: Ports, webhooks: readonly Webhook[], now: number): Promise<readonly Lane[]> {
  const ids = webhooks.map(({ webhookId }) => webhookId);
  const redeliveries = await findRedeliveries(ports.database, ids);
  const backlogs = await findBacklogs(ports.database, ids);
  const lanes = webhooks.map((webhook) =>
    createLane(webhook, redeliveries.get(webhook.webhookId), now, backlogs.get(webhook.webhookId)),
  );
  await refreshDue(ports, lanes);
  return lanes;
}

/** Per collection at once. */
const backlogEvents = 32;

/** The URL and the secrets that sign now. */
export function receiverOf(webhook: Webhook, sealer: Pick<Sealer, 'open'>, now: number): Receiver {
  const { webhookId, secret } = webhook;
  const secrets = [secret, ...validSecrets(webhook, now).map((former) => former.secret)];
  return { url: urlOf(webhook, sealer), secrets: secrets.map((sealed) => sealer.open(sealed, webhookId)) };
}

/**
 * Reads ahead up to `limit` events. @param readLog of any account @returns whether its position may have moved without
 * a delivery
 */
export async function fillLane(readLog: ReadLogRows, lane: Lane, limit: number): Promise<boolean> {
  const { webhook, atEnd } = lane;
  const collections = webhook.collections.length === 0 ? undefined : new Set<string>(webhook.collections);
  const read = async (account: Hex, after: number, types: readonly string[]) => {
    const page = await readLogged(readLog, { account, after, limit, types: new Set(types), collections });
    return { ...page, events: page.events.map((each) => ({ ...each, set: setOf(each.event) })) };
  };
  let isRead = false;
  const again = lane.redelivery();
  if (again !== undefined && !atEnd.redelivery && lane.wants(again.track)) {
    const { untilPosition, types } = again.redelivery;
    const page = await read(webhook.account, again.track.readTo(), types ?? webhook.types);
    const next = page.more ? Math.min(page.next, untilPosition) : untilPosition;
    again.track.append(
      page.events.filter(({ position }) => position <= untilPosition),
      next,
    );
    atEnd.redelivery = next === untilPosition;
    isRead = true;
  }
  if (!atEnd.log && lane.wants(lane.log)) {
    // Before the query, so that a notification during the query counts.
    atEnd.log = true;
    try {
      const page = await read(webhook.account, lane.log.readTo(), webhook.types);
      if (page.more) atEnd.log = false;
      isRead ||= page.next !== lane.log.readTo();
      lane.log.append(
        page.events.filter((event) => !lane.backlogs.leaves(event)),
        page.next,
      );
    } catch (error) {
      atEnd.log = false;
      throw error;
    }
  }
  for (const backlog of lane.backlogsToRead()) {
    isRead = true;
    await fillBacklog(readLog, lane, backlog);
  }
  return isRead;
}

/** Never farther than the webhook has read: later events are read with the others when the backlog has ended. */
async function fillBacklog(readLog: ReadLogRows, lane: Lane, { set, track }: Backlog): Promise<void> {
  const { account, types, collections } = lane.webhook;
  // A collection that its owner removed from the webhook has no events.
  const isWanted = collections.length === 0 || collections.some((one) => one === set);
  const page = await readLogged(readLog, {
    ...{ account, after: track.readTo(), limit: backlogEvents },
    ...{ types: new Set(types), collections: new Set(isWanted ? [set] : []) },
  });
  const end = lane.log.readTo();
  track.append(
    page.events.filter(({ position }) => position <= end).map((each) => ({ ...each, set })),
    Math.max(track.readTo(), Math.min(page.next, end)),
  );
}
