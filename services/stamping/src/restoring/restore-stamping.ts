import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { AccountOpened, CreateCollection, type MessageContract } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import { failpoint } from '@indelible/service-runtime';
import { handleAccountsOpened } from '../accounts/handle-account-opened.ts';
import { handleCollectionRequests } from '../requests/handle-collection-requests.ts';
import { handleStampRequests } from '../requests/handle-stamp-requests.ts';
import type { Intake } from '../requests/intake.ts';
import { stampRequestOf, stampRequests } from '../requests/stamp-request-of.ts';
import { adoptFromChain } from './adopt-from-chain.ts';
import { alignImported } from './align-imported.ts';
import { collectionEvents, importCollections, leaveCollectionIds } from './import-collections.ts';
import { importOutcomes, outcomeEvents, submissionEvents } from './import-outcomes.ts';
import { decisionEvents, importDecisions } from './import-requests.ts';
import type { Restored, RestoreParts } from './restore-parts.ts';

/** Refuses nothing: these requests were accepted, however many wait now. */
const openIntake: Intake = { look: async () => ({ refuse: () => undefined }) };

/**
 * Brings a restored database up to date with topics and chain, while no service runs: first published decisions,
 * batches and outcomes; then decisions on commands without a published one; then the lanes' transactions on the chain.
 * Only then may a lane sign. Each step, and the whole, may be repeated.
 * @throws RestoreRefusedError when a lane's transaction is still pending, or cannot be found
 */
export async function restoreStamping(parts: RestoreParts): Promise<Restored> {
  const { database, note } = parts;
  const isPublished = await allPublished(database);
  let events = 0;
  const importing =
    (take: (client: Client, messages: readonly IncomingMessage[]) => Promise<number>) =>
    async (batch: readonly IncomingMessage[]): Promise<void> => {
      events += await database.transaction((client) => take(client, batch));
      failpoint('stamping.restore-importing');
    };
  await readTopics(parts, 'collections', collectionEvents, importing(importCollections));
  await readTopics(parts, 'decisions', decisionEvents, importing(importDecisions));
  await readTopics(parts, 'batches', submissionEvents, importing(importOutcomes));
  await readTopics(parts, 'outcomes', outcomeEvents, importing(importOutcomes));
  await database.transaction(async (client) => {
    await alignImported(client);
    await leaveCollectionIds(client);
    // Imported events were published. If some of the backup may not be, all are published again, and dropped by id.
    if (isPublished)
      await client.query('update relay_cursor set position = (select coalesce(max(position), 0) from events)');
  });
  failpoint('stamping.restore-imported');
  note(`${events} events imported`);

  await readTopics(parts, 'accounts', [AccountOpened], (batch) =>
    handleAccountsOpened(
      parts,
      batch.filter((message) => isMessage(message, AccountOpened)),
    ),
  );
  const decided = await decideCommands(parts);
  failpoint('stamping.restore-decided');
  note(`${decided} commands decided`);
  return { events, decided, ...(await adoptFromChain(parts)) };
}

async function allPublished(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ waits: boolean }>(
    `select exists (select from events where position > (select position from relay_cursor))
       or exists (select from relay_held) as waits`,
  );
  return rows[0]?.waits === false;
}

async function readTopics(
  { bus, since, note, signal }: RestoreParts,
  of: string,
  contracts: readonly MessageContract[],
  handle: (batch: readonly IncomingMessage[]) => Promise<void>,
): Promise<void> {
  const reader = bus.createTopicReader({
    name: `restore-${of}`,
    contracts,
    handle,
    ...(since === undefined ? {} : { since }),
  });
  const reporting = setInterval(() => {
    const { handled, left } = reader.progress();
    note(`${of}: ${handled} records read, ${left} left`);
  }, 10_000);
  try {
    await reader.start();
    await reader.catchUp(signal);
    const { leftOut } = reader.progress();
    if (leftOut > 0)
      throw new Error(`${leftOut} messages of ${of} could not be taken over: nothing is signed until they are`);
  } finally {
    clearInterval(reporting);
    await reader.stop();
  }
}

/** Decides commands that were accepted and have no published decision, each once (I5, I6). */
async function decideCommands(parts: RestoreParts): Promise<number> {
  const { database, chainId } = parts;
  let decided = 0;
  const add = ({ counts }: { readonly counts: Readonly<Record<string, number>> }): void => {
    decided += Object.values(counts).reduce((sum, count) => sum + count, 0);
  };
  await readTopics(parts, 'collection commands', [CreateCollection], async (batch) =>
    add(
      await handleCollectionRequests(
        { database, intake: openIntake },
        batch.filter((message) => isMessage(message, CreateCollection)),
      ),
    ),
  );
  await readTopics(parts, 'stamp commands', stampRequests, async (batch) => {
    const requests = batch.flatMap(stampRequestOf);
    // The caller's reference is in the command, not in the decision's event.
    await database.query(
      `update stamps s set client_ref = r.client_ref from unnest($1::uuid[], $2::text[]) as r (id, client_ref)
       where s.id = r.id and s.client_ref is null and r.client_ref is not null`,
      [requests.map(({ data }) => data.requestId), requests.map(({ data }) => data.clientRef)],
    );
    add(await handleStampRequests({ database, chainId, now: Date.now, intake: openIntake }, requests));
  });
  return decided;
}
