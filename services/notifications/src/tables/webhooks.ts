import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import type { DisabledReason } from '../decisions/webhook-health.ts';
import { schema } from '../migrations/migrations.ts';

/** A secret that signs as well until a time. */
export type FormerSecret = { readonly secret: Buffer; readonly until: Date };

export type Webhook = {
  readonly webhookId: string;
  readonly account: Hex;
  /** Sealed; text in a row of a release that did not seal it. */
  readonly url: Buffer | string;
  readonly types: readonly string[];
  /** Empty: all, and events of the account itself. */
  readonly collections: readonly Hex[];
  readonly ordered: boolean;
  readonly description: string | null;
  /** Sealed, as the former ones. */
  readonly secret: Buffer;
  /** The newest first. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: Date | null;
  /** Everything up to it is delivered, or has a row in `deliveries`. */
  readonly position: number;
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** On which the dispatcher hears which webhook was changed, by its id. */
export const webhooksChannel = `${schema}_webhooks`;

type Queries = Pick<Database, 'query'> | Client;
type Row = Record<string, unknown>;

const columns = `webhook_id, account, url, types, collections, ordered, description, secret, former_secret, former_until, status,
  disabled_reason, disabled_at, position, failing_since, created_at, updated_at, sealed_url, older_secrets, older_untils`;

/**
 * What is in \`url\` when it is sealed: releases that know no sealed URL find no host there, and keep the deliveries for later. Any other text
 * was written by such a release, after what is sealed.
 */
const sealedElsewhere = 'https://sealed.invalid/';

const webhookOf = (row: Row): Webhook => ({
  webhookId: row.webhook_id as string,
  account: hexOfBytes(row.account as Buffer),
  url: urlIn(row),
  types: row.types as string[],
  collections: (row.collections as Buffer[]).map(hexOfBytes),
  ordered: row.ordered as boolean,
  description: row.description as string | null,
  secret: row.secret as Buffer,
  formerSecrets: formersIn(row),
  status: row.status as Webhook['status'],
  disabledReason: row.disabled_reason as DisabledReason | null,
  disabledAt: row.disabled_at as Date | null,
  position: row.position as number,
  failingSince: row.failing_since as Date | null,
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

/** Anyone may have given a webhook the very URL that stands for a sealed one, by a release that did not seal them. */
export const urlIn = ({ url, sealed_url: sealed }: Row): Buffer | string =>
  url === sealedElsewhere && sealed !== null ? (sealed as Buffer) : (url as string);

/** The first is where releases keep it that know one alone. */
export function formersIn(row: Row): readonly FormerSecret[] {
  const first = { secret: row.former_secret as Buffer | null, until: row.former_until as Date | null };
  const untils = row.older_untils as Date[];
  const older = (row.older_secrets as Buffer[]).map((secret, at) => ({ secret, until: untils[at] as Date }));
  return first.secret === null || first.until === null
    ? older
    : [{ secret: first.secret, until: first.until }, ...older];
}

/** As the columns have them: URL, sealed URL, secret, former secret and time, older secrets and times. */
export function sealedValuesOf({ url, secret, formerSecrets }: Pick<Webhook, 'url' | 'secret' | 'formerSecrets'>) {
  const [first, ...older] = formerSecrets;
  return {
    url: typeof url === 'string' ? url : sealedElsewhere,
    sealedUrl: typeof url === 'string' ? null : url,
    secret,
    former: first?.secret ?? null,
    formerUntil: first?.until ?? null,
    older: arrayOf.bytea(older.map((one) => hexOfBytes(one.secret))),
    olderUntils: arrayOf.timestamptz(older.map(({ until }) => until)),
  };
}

const valuesOf = (webhook: Webhook, sealed = sealedValuesOf(webhook)): unknown[] => [
  webhook.webhookId,
  bytesOfHex(webhook.account),
  sealed.url,
  arrayOf.text(webhook.types),
  arrayOf.bytea(webhook.collections),
  webhook.ordered,
  webhook.description,
  sealed.secret,
  sealed.former,
  sealed.formerUntil,
  webhook.status,
  webhook.disabledReason,
  webhook.disabledAt,
  webhook.position,
  webhook.failingSince,
  webhook.createdAt,
  webhook.updatedAt,
  sealed.sealedUrl,
  sealed.older,
  sealed.olderUntils,
];

export const notifyDispatcher = async (client: Queries, webhookId: string): Promise<void> =>
  void (await client.query({
    name: 'notify-webhooks',
    text: 'select pg_notify($1, $2)',
    values: [webhooksChannel, webhookId],
  }));

/** @param most of an account, whose row in `accounts` the transaction has locked @returns false when it has as many */
export async function insertWebhook(client: Client, webhook: Webhook, most: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'insert-webhook',
    text: `insert into webhooks (${columns})
           select $1, $2, $3, $4::text[], $5::bytea[], $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
             $19::bytea[], $20::timestamptz[]
           where (select count(*) from webhooks where account = $2) < $21`,
    values: [...valuesOf(webhook), most],
  });
  return rowCount === 1;
}

/** Everything but how far it is delivered. */
export async function saveWebhook(client: Client, webhook: Webhook): Promise<void> {
  await client.query({
    name: 'save-webhook',
    text: `update webhooks set url = $3, types = $4::text[], collections = $5::bytea[], ordered = $6, description = $7, secret = $8,
             former_secret = $9, former_until = $10, status = $11, disabled_reason = $12, disabled_at = $13, failing_since = $15,
             updated_at = $17, sealed_url = $18, older_secrets = $19::bytea[], older_untils = $20::timestamptz[]
           where webhook_id = $1 and account = $2 and $14::bigint is not null and $16::timestamptz is not null`,
    values: valuesOf(webhook),
  });
  await notifyDispatcher(client, webhook.webhookId);
}

export async function deleteWebhook(client: Client, account: Hex, webhookId: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'delete-webhook',
    text: 'delete from webhooks where webhook_id = $1 and account = $2',
    values: [webhookId, bytesOfHex(account)],
  });
  if (rowCount === 1) await notifyDispatcher(client, webhookId);
  return rowCount === 1;
}

export async function findWebhook(
  client: Queries,
  account: Hex,
  webhookId: string,
  lock = false,
): Promise<Webhook | undefined> {
  const { rows } = await client.query<Row>({
    name: lock ? 'lock-webhook' : 'find-webhook',
    text: `select ${columns} from webhooks where webhook_id = $1 and account = $2 ${lock ? 'for update' : ''}`,
    values: [webhookId, bytesOfHex(account)],
  });
  return rows.map(webhookOf)[0];
}

export async function listWebhooks(client: Queries, account: Hex): Promise<readonly Webhook[]> {
  const { rows } = await client.query<Row>({
    name: 'list-webhooks',
    text: `select ${columns} from webhooks where account = $1 order by created_at desc, webhook_id desc`,
    values: [bytesOfHex(account)],
  });
  return rows.map(webhookOf);
}

/** Enabled webhooks, by their ids or their accounts. */
export async function findEnabled(
  client: Queries,
  by: { readonly ids: readonly string[] } | { readonly accounts: readonly Hex[] },
): Promise<readonly Webhook[]> {
  const isById = 'ids' in by;
  const { rows } = await client.query<Row>({
    name: isById ? 'find-enabled-webhooks' : 'find-webhooks-of-accounts',
    text: `select ${columns} from webhooks
           where status = 'enabled' and ${isById ? 'webhook_id = any($1::uuid[])' : 'account = any($1::bytea[])'}`,
    values: [isById ? arrayOf.uuid(by.ids) : arrayOf.bytea(by.accounts)],
  });
  return rows.map(webhookOf);
}

/** Enabled webhooks that have something to deliver, or to try again, or to redeliver, in the order of their ids behind one. */
export async function findWork(client: Queries, after: string, limit: number): Promise<readonly Webhook[]> {
  const { rows } = await client.query<Row>({
    name: 'find-webhooks-with-work',
    text: `select ${columns} from webhooks w where status = 'enabled' and webhook_id > $2 and (
             position < (select position from accounts where account = w.account limit 1)
             or (select true from deliveries where webhook_id = w.webhook_id and status = 'waiting' limit 1)
             or (select true from redeliveries where webhook_id = w.webhook_id limit 1)
             or (select true from webhook_backlogs where webhook_id = w.webhook_id limit 1))
           order by webhook_id limit $1`,
    values: [limit, after],
  });
  return rows.map(webhookOf);
}

export type Move = {
  readonly webhookId: string;
  readonly position: number;
  readonly failingSince: Date | null;
};

/** How far webhooks are delivered, and since when they fail. A position never goes back: a former leader may be late. */
export async function moveWebhooks(client: Client, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  await client.query({
    name: 'move-webhooks',
    // Locked in their order, so that no two leaders wait for each other.
    text: `with locked as materialized (
             select webhook_id from webhooks where webhook_id = any($1::uuid[]) order by webhook_id for no key update)
           update webhooks set position = greatest(webhooks.position, m.position), failing_since = m.failing_since
           from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as m (webhook_id, position, failing_since)
           where webhooks.webhook_id = any(array(select webhook_id from locked)) and webhooks.webhook_id = m.webhook_id`,
    values: [
      arrayOf.uuid(moves.map((move) => move.webhookId)),
      arrayOf.bigint(moves.map((move) => move.position)),
      arrayOf.timestamptz(moves.map((move) => move.failingSince)),
    ],
  });
}
