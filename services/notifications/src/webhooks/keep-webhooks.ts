import type { Database } from '@indelible/postgres';
import type { Sealer } from '@indelible/webhook-requests';
import { forgetDeliveries } from '../tables/deliveries.ts';
import { listSecrets, saveSealedAgain } from '../tables/webhooks.ts';

/** So long it is known what became of a delivery. */
export const rememberedDays = 30;
const noId = '00000000-0000-0000-0000-000000000000';
const page = 500;

type Queries = Pick<Database, 'query'>;

export const forgetOldDeliveries = (database: Queries, now: number, limit: number): Promise<number> =>
  forgetDeliveries(database, new Date(now - rememberedDays * 24 * 3_600_000), limit);

/** Seals again what another key than the current one sealed, so that the former key can be removed. @returns how many */
export async function sealAgain(database: Queries, sealer: Sealer): Promise<number> {
  let sealed = 0;
  for (let after = noId; ; ) {
    const webhooks = await listSecrets(database, after, page);
    for (const { webhookId, secret, formerSecret } of webhooks)
      for (const [column, value] of [
        ['secret', secret],
        ['former_secret', formerSecret],
      ] as const)
        if (value !== null && !sealer.isCurrent(value)) {
          await saveSealedAgain(
            database,
            webhookId,
            column,
            value,
            sealer.seal(sealer.open(value, webhookId), webhookId),
          );
          sealed += 1;
        }
    after = webhooks.at(-1)?.webhookId ?? after;
    if (webhooks.length < page) return sealed;
  }
}
