import type { BlobStore } from '@indelible/blob-store';
import type { IncomingMessage } from '@indelible/kafka';
import { failpoint } from '@indelible/service-runtime';
import type { RefusalMessage, StampFact } from '../decisions/follow-stamp.ts';
import type { Telemetry } from '../telemetry.ts';
import { adoptFiles } from './adopt-files.ts';
import type { LookedUp } from './confirm-unheard.ts';
import { discardContent } from './discard-content.ts';
import { type Recorded, recordLookedUp, recordStamps } from './record-stamps.ts';
import { confirmationTimesOf, requestIdsOf, stampMessageOf } from './stamp-message-of.ts';
import { type StorePorts, storePendingFiles } from './store-files.ts';

type Ports = StorePorts & { readonly blobStore: BlobStore; readonly telemetry: Telemetry };
type Fact = StampFact | RefusalMessage;

/**
 * Handles events.stamps: records what they mean for files (record-stamps.ts), then moves content that is due, and
 * discards unclaimed content.
 */
export async function handleStamps(ports: Ports, batch: readonly IncomingMessage[]): Promise<void> {
  const messages = batch.map(stampMessageOf);
  const recorded = await recordStamps(ports.database, messages);
  if (confirmedOf(messages).length > 0) failpoint('storage.recorded');
  await finishFiles(ports, messages, recorded, requestIdsOf(batch), confirmationTimesOf(batch));
}

/** The same for confirmations from a query to stamping (confirm-unheard.ts). */
export async function handleLookedUp(ports: Ports, confirmations: readonly LookedUp[]): Promise<void> {
  const requestIds = confirmations.flatMap(({ data }) =>
    data.requestId === null ? [] : [[data.stampId, data.requestId] as const],
  );
  const recorded = await recordLookedUp(ports.database, confirmations);
  await finishFiles(ports, confirmations, recorded, new Map(requestIds), new Map());
}

/** Finishes all pending files of these stamps, including those of an earlier attempt. */
async function finishFiles(
  ports: Ports,
  facts: readonly Fact[],
  recorded: Recorded,
  requestIds: ReadonlyMap<string, string>,
  confirmedAt: ReadonlyMap<string, string>,
): Promise<void> {
  const { database, blobStore, telemetry } = ports;
  telemetry.stampsRecorded(recorded);
  const stampIds = facts.flatMap((fact) => (fact.type === 'StampRequestRefused' ? [] : [fact.data.stampId]));
  const result = await storePendingFiles(ports, [...new Set(stampIds)], requestIds);
  telemetry.filesStored(result, requestIds);
  telemetry.confirmedStored(result.stored, confirmedAt);
  telemetry.contentKept(await discardContent(blobStore, recorded.discards));
  await adoptFiles(database, 'stamps', confirmedOf(facts));
  if (result.away !== undefined) throw result.away;
}

const confirmedOf = (facts: readonly Fact[]): string[] =>
  facts.flatMap((fact) => (fact.type === 'StampConfirmed' ? [fact.data.stampId] : []));
