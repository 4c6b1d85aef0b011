import type { Database } from '@indelible/postgres';
import { forgetDeliveries } from '../tables/deliveries.ts';
import { listSeals, replaceSeals, type Seals } from '../tables/webhook-seals.ts';
import type { Sealer } from '../webhook-requests/sealer.ts';
import { sealUrl, urlOf } from './sealed-url.ts';

/** How long delivery outcomes are kept. */
const rememberedDays = 30;
const noId = '00000000-0000-0000-0000-000000000000';
const page = 500;

type Queries = Pick<Database, 'query'>;

export const forgetOldDeliveries = (database: Queries, now: number, limit: number): Promise<number> =>
  forgetDeliveries(database, new Date(now - rememberedDays * 24 * 3_600_000), limit);

/**
 * Reseals what another key than the current one sealed, so that the former key can be removed; and plain-text URLs,
 * written by a release that did not seal them. A webhook that cannot be sealed does not hold up others (I12).
 * @returns number of webhooks resealed
 * @throws the first fault, once all others are sealed: until it is fixed the former key is needed
 */
export async function sealAgain(database: Queries, sealer: Sealer): Promise<number> {
  let sealed = 0;
  const faults: unknown[] = [];
  for (let after = noId; ; ) {
    const webhooks = await listSeals(database, after, page);
    for (const webhook of webhooks) {
      const again = sealAgainIfNeeded(webhook, sealer, faults);
      if (again !== undefined && (await replaceSeals(database, webhook, again))) sealed += 1;
    }
    after = webhooks.at(-1)?.webhookId ?? after;
    if (webhooks.length < page) break;
  }
  if (faults.length > 0) throw faults[0];
  return sealed;
}

/** Undefined for what the current key sealed, and for what cannot be opened, which is a fault. */
function sealAgainIfNeeded(webhook: Seals, sealer: Sealer, faults: unknown[]): Seals | undefined {
  try {
    return isCurrent(webhook, sealer) ? undefined : sealedBy(webhook, sealer);
  } catch (error) {
    faults.push(error);
    return undefined;
  }
}

const isCurrent = ({ url, secret, formerSecrets }: Seals, sealer: Sealer): boolean =>
  typeof url !== 'string' &&
  [url, secret, ...formerSecrets.map((former) => former.secret)].every((value) => sealer.isCurrent(value));

function sealedBy(webhook: Seals, sealer: Sealer): Seals {
  const { webhookId } = webhook;
  const again = (value: Buffer): Buffer => sealer.seal(sealer.open(value, webhookId), webhookId);
  return {
    webhookId,
    url: sealUrl(sealer, webhookId, urlOf(webhook, sealer)),
    secret: again(webhook.secret),
    formerSecrets: webhook.formerSecrets.map(({ secret, until }) => ({ secret: again(secret), until })),
  };
}
