import type { Database } from '@indelible/postgres';
import { failpoint } from '@indelible/service-runtime';
import type { Result } from '../decisions/deliveries.ts';
import { recordResults } from '../tables/deliveries.ts';
import { moveRedeliveries, type RedeliveryMove } from '../tables/redeliveries.ts';
import { type BacklogRow, beginBacklogs, endBacklogs, moveBacklogs } from '../tables/webhook-backlogs.ts';
import { type Move, moveWebhooks } from '../tables/webhook-work.ts';

export type Progress = {
  readonly results: readonly Result[];
  readonly moves: readonly Move[];
  readonly redeliveries: readonly RedeliveryMove[];
  readonly backlogs?: {
    readonly begun: readonly BacklogRow[];
    readonly moved: readonly BacklogRow[];
    readonly ended: readonly BacklogRow[];
  };
};

/**
 * Stores results of deliveries and positions of their webhooks in one transaction: a position passes an event only when
 * the event is delivered, has failed, has a row with its next attempt, or is in a backlog of its collection.
 */
export async function recordProgress(database: Pick<Database, 'transaction'>, progress: Progress): Promise<void> {
  await database.transaction(async (client) => {
    await moveWebhooks(client, progress.moves);
    await moveRedeliveries(client, progress.redeliveries);
    await recordResults(client, progress.results);
    if (progress.backlogs === undefined) return;
    await beginBacklogs(client, progress.backlogs.begun);
    await moveBacklogs(client, progress.backlogs.moved);
    await endBacklogs(client, progress.backlogs.ended);
  });
  if (progress.results.length > 0) failpoint('notifications.webhook-recorded');
}
