import { claimMessages } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import { type Client, type Database, decideInTransaction } from '@indelible/postgres';
import { failpoint, PermanentError } from '@indelible/service-runtime';
import { type BatchState, type LogPlace, placesOf } from '../decisions/batch-state.ts';
import type { EventWriter, NewEvent } from '../decisions/event-of.ts';
import type { Fact, FinalizedFact, Stamp } from '../decisions/facts.ts';
import { type LoggedConfirmation, type Memory, type Projection, placeKey, project } from '../decisions/project.ts';
import { lockBatches, saveBatches } from '../tables/batches.ts';
import { readCollections, saveCollections } from '../tables/collections.ts';
import { lockAccounts } from '../tables/counters.ts';
import { readEventsAt } from '../tables/log.ts';
import { readNotes, saveNotes } from '../tables/stamp-order.ts';
import {
  dropEarlyFiles,
  findConfirmed,
  findFailed,
  noteConfirmed,
  noteFailed,
  readEarlyFiles,
  saveEarlyFiles,
} from '../tables/stamps.ts';
import { appendToLog } from './append-to-log.ts';

/** The inbox name. */
export const consumerName = 'notifications';

/**
 * A transaction costs a dozen statements, whatever it holds: what comes in this time goes together. And those who wait for the same
 * confirmations are served first.
 */
export const projectionLingerMs = 200;

/**
 * Projects messages for subscribers, in one transaction with the inbox (I5): their events in the log, and the state
 * needed for later messages.
 */
export async function projectFacts(
  database: Pick<Database, 'transaction'>,
  facts: readonly Fact[],
  write: EventWriter,
): Promise<readonly NewEvent[]> {
  if (facts.length === 0) return [];
  let isFresh = false;
  const events = await decideInTransaction(database, async (client) => {
    const unseen = await claimMessages(
      client,
      consumerName,
      facts.map(({ messageId }) => messageId),
    );
    const fresh = facts.filter(({ messageId }) => unseen.delete(messageId));
    isFresh = fresh.length > 0;
    if (!isFresh) return [];
    return await projectFresh(client, fresh, write);
  });
  if (isFresh) failpoint('notifications.projected');
  return events;
}

/** Facts no transaction has projected. */
export async function projectFresh(
  client: Client,
  facts: readonly Fact[],
  write: EventWriter,
): Promise<readonly NewEvent[]> {
  const batches = await lockBatches(client, [...new Set(facts.flatMap(batchOf))].sort());
  const positions = await lockAccounts(client, accountsOf(facts, batches));
  const memory = await recall(client, facts, batches, positions);
  const projection = project(facts, memory, write);
  const [unregistered] = projection.unregistered;
  if (unregistered !== undefined)
    throw new PermanentError(`the collection ${unregistered.setCid} of ${unregistered.account} is not registered here`);
  await appendToLog(client, projection.events, positions);
  await remember(client, projection, batches);
  failpoint('notifications.projecting');
  return projection.events;
}

/** Read after locking the accounts, so that no other transaction adds to it. */
async function recall(
  client: Client,
  facts: readonly Fact[],
  batches: Memory['batches'],
  positions: Memory['positions'],
): Promise<Memory> {
  const ids = (pick: (fact: Fact) => readonly string[]): string[] => [...new Set(facts.flatMap(pick))];
  const confirming = ids((fact) => (fact.kind === 'confirmed' ? [fact.stamp.stampId] : []));
  const stored = ids((fact) => ('withStamp' in fact && fact.withStamp ? [fact.stamp.stampId] : []));
  const submitted = ids((fact) => (fact.kind === 'submitted' ? fact.stamps.map(({ stampId }) => stampId) : []));
  const noted = ids((fact) =>
    fact.kind === 'submitted' ? fact.stamps.map(({ stampId }) => stampId) : stampOfOrder(fact),
  );
  const created = facts.filter((fact) => fact.kind === 'collection-created');
  const becomingFinal = facts.flatMap((fact) => (fact.kind === 'finalized' ? placesIn(batches, fact) : []));
  const logged = await readEventsAt(client, becomingFinal);
  return {
    batches,
    positions,
    logged: new Map(becomingFinal.map((place, at) => [placeKey(place), logged[at] as unknown as LoggedConfirmation])),
    confirmed: await findConfirmed(client, stored),
    failed: await findFailed(client, submitted),
    notes: await readNotes(client, noted),
    earlyFiles: await readEarlyFiles(client, confirming),
    collections: await readCollections(client, created),
  };
}

async function remember(client: Client, projection: Projection, known: ReadonlyMap<string, BatchState>): Promise<void> {
  await saveBatches(client, projection.batches, known);
  await noteConfirmed(client, [...projection.confirmed]);
  await noteFailed(client, [...projection.failed]);
  await saveNotes(client, projection.notes);
  await saveEarlyFiles(client, projection.early);
  await dropEarlyFiles(client, projection.released);
  await saveCollections(client, projection.registered);
}

const placesIn = (batches: Memory['batches'], fact: FinalizedFact): readonly LogPlace[] => {
  const batch = batches.get(fact.batchId);
  return batch === undefined ? [] : placesOf(batch, fact);
};

const formerStamps = (batch: BatchState | undefined): readonly Stamp[] =>
  Object.values(batch?.former ?? {}).map(({ stamp }) => stamp);

const batchOf = (fact: Fact): string[] => ('batchId' in fact ? [fact.batchId] : []);

/** The stamp whose order a fact concerns. */
function stampOfOrder(fact: Fact): readonly string[] {
  switch (fact.kind) {
    case 'confirmed':
    case 'reverted':
    case 'failed':
      return [fact.stamp.stampId];
    case 'former-reverted':
    case 'reversion-missing':
      return [fact.stampId];
    default:
      return [];
  }
}

/** Accounts with new events. */
function accountsOf(facts: readonly Fact[], batches: Memory['batches']): Hex[] {
  const accounts = new Set<Hex>();
  for (const fact of facts)
    if ('stamp' in fact) accounts.add(fact.stamp.account);
    else if ('account' in fact) accounts.add(fact.account);
    else if (fact.kind === 'submitted') for (const { account } of fact.stamps) accounts.add(account);
    else if (fact.kind === 'finalized')
      for (const { account } of [...placesIn(batches, fact), ...formerStamps(batches.get(fact.batchId))])
        accounts.add(account);
  return [...accounts];
}
