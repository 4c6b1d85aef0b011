import { type Hex, newId } from '@indelible/identifiers';
import { type Database, decideInTransaction } from '@indelible/postgres';
import { lockAccounts } from '../tables/counters.ts';
import type { FormerSecret, Webhook } from '../tables/webhook-row.ts';
import { findWebhook, insertWebhook, notifyDispatcher, saveWebhook } from '../tables/webhooks.ts';
import type { Sealer } from '../webhook-requests/sealer.ts';
import { newWebhookSecret } from '../webhook-requests/signatures.ts';
import { sealUrl } from './sealed-url.ts';

/** The settings of a webhook that its owner changes. */
export type WebhookSettings = Pick<Webhook, 'types' | 'collections' | 'ordered' | 'description'> & {
  readonly url: string;
};
export type WebhookChange = Partial<WebhookSettings & Pick<Webhook, 'status'>>;

export type WebhookPorts = {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly sealer: Sealer;
  readonly now: () => number;
  /** Webhooks of an account. */
  readonly mostWebhooks: number;
};

/** How long a former secret signs too. */
const overlapMs = 24 * 3_600_000;
/** Each adds a signature to every request. */
export const mostFormerSecrets = 5;

export type WithSecret = { readonly webhook: Webhook; readonly secret: string };

/**
 * A webhook for what is appended to the account's log from now on. @returns undefined when the account has its maximum
 */
export async function createWebhook(
  { database, sealer, now, mostWebhooks }: WebhookPorts,
  account: Hex,
  settings: WebhookSettings,
): Promise<WithSecret | undefined> {
  const webhookId = newId();
  const secret = newWebhookSecret();
  const at = new Date(now());
  return await decideInTransaction(database, async (client) => {
    const positions = await lockAccounts(client, [account]);
    const webhook: Webhook = {
      ...settings,
      webhookId,
      account,
      url: sealUrl(sealer, webhookId, settings.url),
      secret: sealer.seal(secret, webhookId),
      formerSecrets: [],
      status: 'enabled',
      disabledReason: null,
      disabledAt: null,
      position: positions.get(account) ?? 0,
      failingSince: null,
      createdAt: at,
      updatedAt: at,
    };
    if (!(await insertWebhook(client, webhook, mostWebhooks))) return undefined;
    await notifyDispatcher(client, webhookId);
    return { webhook, secret };
  });
}

/** @returns undefined when the account has no such webhook */
export const changeWebhook = (
  ports: WebhookPorts,
  account: Hex,
  webhookId: string,
  change: WebhookChange,
): Promise<Webhook | undefined> =>
  update(ports, account, webhookId, (webhook, at) => ({
    ...webhook,
    ...change,
    url: change.url === undefined ? webhook.url : sealUrl(ports.sealer, webhookId, change.url),
    ...statusAfter(webhook, change, at),
  }));

/** Delivery resumes where it stopped, and the five days of failure restart. */
function statusAfter(webhook: Webhook, { status }: WebhookChange, at: Date): Partial<Webhook> {
  if (status === undefined || status === webhook.status) return {};
  if (status === 'disabled') return { disabledReason: 'owner', disabledAt: at };
  return { disabledReason: null, disabledAt: null, failingSince: null };
}

/**
 * A new secret; each former one also signs until its day is over, so that the receiver can switch.
 * @returns when the next can be made, while former ones are at their maximum; undefined when the account has no such
 *   webhook
 */
export async function rotateSecret(
  ports: WebhookPorts,
  account: Hex,
  webhookId: string,
): Promise<WithSecret | { readonly possibleAt: Date } | undefined> {
  const secret = newWebhookSecret();
  let possibleAt: Date | undefined;
  const webhook = await update(ports, account, webhookId, (before, at) => {
    const valid = validSecrets(before, at.getTime());
    possibleAt = valid[mostFormerSecrets - 1]?.until;
    if (possibleAt !== undefined) return undefined;
    const former = { secret: before.secret, until: new Date(at.getTime() + overlapMs) };
    return { ...before, secret: ports.sealer.seal(secret, webhookId), formerSecrets: [former, ...valid] };
  });
  if (webhook === undefined) return undefined;
  return possibleAt === undefined ? { webhook, secret } : { possibleAt };
}

/** Former secrets still in use, newest first. */
export const validSecrets = ({ formerSecrets }: Pick<Webhook, 'formerSecrets'>, now: number): readonly FormerSecret[] =>
  formerSecrets.filter(({ until }) => until.getTime() > now);

/** @param change returns undefined to keep the webhook unchanged */
async function update(
  { database, now }: WebhookPorts,
  account: Hex,
  webhookId: string,
  change: (webhook: Webhook, at: Date) => Webhook | undefined,
): Promise<Webhook | undefined> {
  return await decideInTransaction(database, async (client) => {
    const before = await findWebhook(client, account, webhookId, true);
    if (before === undefined) return undefined;
    // Always increases, whatever the clock shows: it distinguishes the versions of a webhook.
    const at = new Date(Math.max(now(), before.updatedAt.getTime() + 1));
    const changed = change(before, at);
    if (changed === undefined) return before;
    const webhook = { ...changed, updatedAt: at };
    await saveWebhook(client, webhook);
    return webhook;
  });
}
