import type { Client, Database } from '@indelible/postgres';
import { formersIn, sealedValuesOf, urlIn, type Webhook } from './webhook-row.ts';

type Queries = Pick<Database, 'query'> | Client;

/** The sealed parts of a webhook. */
export type Seals = Pick<Webhook, 'webhookId' | 'url' | 'secret' | 'formerSecrets'>;

/** Ordered by id. */
export async function listSeals(client: Queries, after: string, limit: number): Promise<readonly Seals[]> {
  const { rows } = await client.query<Record<string, unknown>>({
    name: 'list-webhook-seals',
    text: `select webhook_id, url, sealed_url, secret, former_secret, former_until, older_secrets, older_untils
           from webhooks where webhook_id > $1 order by webhook_id limit $2`,
    values: [after, limit],
  });
  return rows.map((row) => ({
    webhookId: row.webhook_id as string,
    url: urlIn(row),
    secret: row.secret as Buffer,
    formerSecrets: formersIn(row),
  }));
}

/** Replaces a webhook's seals, unless one of them changed since it was read. @returns whether it did */
export async function replaceSeals(client: Queries, from: Seals, to: Seals): Promise<boolean> {
  const [before, after] = [sealedValuesOf(from), sealedValuesOf(to)];
  const { rowCount } = await client.query({
    name: 'replace-webhook-seals',
    text: `update webhooks set url = $2, sealed_url = $3, secret = $4, former_secret = $5, older_secrets = $6::bytea[]
           where webhook_id = $1 and url = $7 and sealed_url is not distinct from $8 and secret = $9
             and former_secret is not distinct from $10 and older_secrets = $11::bytea[]`,
    values: [
      from.webhookId,
      ...[after.url, after.sealedUrl, after.secret, after.former, after.older],
      ...[before.url, before.sealedUrl, before.secret, before.former, before.older],
    ],
  });
  return rowCount === 1;
}
