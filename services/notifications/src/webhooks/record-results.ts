import { failpoint } from '@indelible/failpoints';
import type { Database } from '@indelible/postgres';
import { type Result, recordResults } from '../tables/deliveries.ts';
import { moveRedeliveries, type RedeliveryMove } from '../tables/redeliveries.ts';
import { type Move, moveWebhooks } from '../tables/webhooks.ts';

export type Progress = {
  readonly results: readonly Result[];
  readonly moves: readonly Move[];
  readonly redeliveries: readonly RedeliveryMove[];
};

/**
 * What became of deliveries, and how far their webhooks are, in one transaction: a position is behind an event only when the event is
 * delivered, has failed, or has a row that says when it is tried again.
 */
export async function recordProgress(database: Pick<Database, 'transaction'>, progress: Progress): Promise<void> {
  await database.transaction(async (client) => {
    await moveWebhooks(client, progress.moves);
    await moveRedeliveries(client, progress.redeliveries);
    await recordResults(client, progress.results);
  });
  if (progress.results.length > 0) failpoint('notifications.webhook-recorded');
}
