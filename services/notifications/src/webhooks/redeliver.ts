import type { Hex } from '@indelible/identifiers';
import { type Database, decideInTransaction } from '@indelible/postgres';
import { type Delivery, requestAgain } from '../tables/delivery-list.ts';
import { positionAt } from '../tables/log.ts';
import { insertRedelivery, type Redelivery } from '../tables/redeliveries.ts';
import { findWebhook, notifyDispatcher } from '../tables/webhooks.ts';

type Ports = { readonly database: Pick<Database, 'query' | 'transaction'>; readonly now: () => number };

/** @returns undefined when the account's webhook has no such delivery */
export const redeliverOne = (
  { database, now }: Ports,
  account: Hex,
  webhookId: string,
  eventId: string,
): Promise<Delivery | undefined> =>
  decideInTransaction(database, async (client) => {
    if ((await findWebhook(client, account, webhookId)) === undefined) return undefined;
    const delivery = await requestAgain(client, webhookId, eventId, new Date(now()));
    if (delivery !== undefined) await notifyDispatcher(client, webhookId);
    return delivery;
  });

export type RedeliveryRequest = Pick<Redelivery, 'since' | 'until' | 'types'>;

/**
 * Redelivers everything appended in that period, up to the webhook's position: later events are delivered anyway.
 * @returns `busy` while an earlier one is in progress; undefined when the account has no such webhook
 */
export const redeliverSince = (
  { database, now }: Ports,
  account: Hex,
  webhookId: string,
  { since, until, types }: RedeliveryRequest,
): Promise<Redelivery | 'busy' | undefined> =>
  decideInTransaction(database, async (client) => {
    const webhook = await findWebhook(client, account, webhookId);
    if (webhook === undefined) return undefined;
    const position = Math.min(await positionAt(client, account, since), webhook.position);
    const end = until === null ? webhook.position : await positionAt(client, account, until);
    const untilPosition = Math.min(end, webhook.position);
    const redelivery = { webhookId, position, untilPosition, types, since, until, requestedAt: new Date(now()) };
    if (position >= untilPosition) return redelivery;
    if (!(await insertRedelivery(client, redelivery))) return 'busy';
    await notifyDispatcher(client, webhookId);
    return redelivery;
  });
