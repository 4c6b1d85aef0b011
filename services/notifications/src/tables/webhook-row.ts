import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf } from '@indelible/postgres';
import type { DisabledReason } from '../decisions/webhook-health.ts';

/** A former secret, which signs too until a time. */
export type FormerSecret = { readonly secret: Buffer; readonly until: Date };

export type Webhook = {
  readonly webhookId: string;
  readonly account: Hex;
  /** Sealed; text in a row of a release that did not seal URLs. */
  readonly url: Buffer | string;
  readonly types: readonly string[];
  /** Empty: all, and the account's events. */
  readonly collections: readonly Hex[];
  readonly ordered: boolean;
  readonly description: string | null;
  /** Sealed, like the former ones. */
  readonly secret: Buffer;
  /** Newest first. */
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

export type WebhookRow = Record<string, unknown>;

/** In the order of {@link valuesOf}, with creation time and position last. */
export const columns = `webhook_id, account, url, sealed_url, secret, former_secret, former_until, older_secrets, older_untils, types,
  collections, ordered, description, status, disabled_reason, disabled_at, failing_since, updated_at, created_at, position`;

/**
 * The value of `url` when the sealed URL is in `sealed_url`: releases that do not seal URLs find no host there, and
 * keep the deliveries for later. Such a release wrote any other value, after the sealed one.
 */
const sealedElsewhere = 'https://sealed.invalid/';

export const webhookOf = (row: WebhookRow): Webhook => ({
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

/** With a release that did not seal URLs, an owner may have set the very URL that marks a sealed one. */
export const urlIn = ({ url, sealed_url: sealed }: WebhookRow): Buffer | string =>
  url === sealedElsewhere && sealed !== null ? (sealed as Buffer) : (url as string);

/** The newest is where releases with a single former secret keep it. */
export function formersIn(row: WebhookRow): readonly FormerSecret[] {
  const first = { secret: row.former_secret as Buffer | null, until: row.former_until as Date | null };
  const untils = row.older_untils as Date[];
  const older = (row.older_secrets as Buffer[]).map((secret, at) => ({ secret, until: untils[at] as Date }));
  return first.secret === null || first.until === null
    ? older
    : [{ secret: first.secret, until: first.until }, ...older];
}

/** The column values of URL and secrets. */
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

/** All but creation time and position. */
export const valuesOf = (webhook: Webhook, sealed = sealedValuesOf(webhook)): unknown[] => [
  webhook.webhookId,
  bytesOfHex(webhook.account),
  sealed.url,
  sealed.sealedUrl,
  sealed.secret,
  sealed.former,
  sealed.formerUntil,
  sealed.older,
  sealed.olderUntils,
  arrayOf.text(webhook.types),
  arrayOf.bytea(webhook.collections),
  webhook.ordered,
  webhook.description,
  webhook.status,
  webhook.disabledReason,
  webhook.disabledAt,
  webhook.failingSince,
  webhook.updatedAt,
];
