import type { Rpc } from '@indelible/ethereum';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { type IncomingMessage, isMessage, type MessageBus } from '@indelible/kafka';
import { AccountOpened, CreateCollection, type MessageContract, unknownHash } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import { handleAccountsOpened } from '../accounts/handle-account-opened.ts';
import { handleCollectionRequests } from '../requests/handle-collection-requests.ts';
import { handleStampRequests } from '../requests/handle-stamp-requests.ts';
import type { Intake } from '../requests/intake.ts';
import { stampRequestOf, stampRequests } from '../requests/stamp-request-of.ts';
import { adoptTransaction, type DeadBatches } from './adopt-transactions.ts';
import { readCarriedItems } from './carried-items.ts';
import { revertLostBlocks } from './check-blocks.ts';
import { collectionEvents, importCollections, leaveCollectionIds } from './import-collections.ts';
import { importOutcomes, outcomeEvents, submissionEvents } from './import-outcomes.ts';
import { decisionEvents, importDecisions } from './import-requests.ts';
import { blockBefore, readLaneNonces, readLaneTransactions } from './lane-transactions.ts';
import { settleImported, setWaiting } from './settle-imported.ts';

export type RestoreParts = {
  readonly database: Database;
  readonly bus: MessageBus;
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  /** Of the keys that are configured. */
  readonly lanes: readonly Hex[];
  /** Messages written before are in the backup. Undefined: nothing is. */
  readonly since: Date | undefined;
  /** The first block whose transactions the backup may lack; by default, by its time. */
  readonly fromBlock: number | undefined;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
};

export type Restored = {
  readonly events: number;
  readonly decided: number;
  readonly transactions: number;
  readonly batches: number;
  readonly versions: number;
  readonly stampsMade: number;
  readonly revertedAbove: number | null;
};

/** Clients that were refused have gone; what was accepted is decided, however much waits. */
const openIntake: Intake = { look: async () => ({ closed: undefined, refuse: () => undefined }) };

/**
 * Brings a restored database up to what topics and chain say, while no service runs: first what was published of decisions, batches and
 * outcomes; then decisions on commands that nothing was published about; then the transactions of lanes that the chain has. Only after
 * that may a lane sign. Each step may be repeated, and so may the whole.
 * @throws RestoreRefusedError when a transaction of a lane is still under way, or cannot be found
 */
export async function restoreStamping(parts: RestoreParts): Promise<Restored> {
  const { database, note } = parts;
  const isPublished = await allPublished(database);
  let events = 0;
  const importing =
    (take: (client: Client, messages: readonly IncomingMessage[]) => Promise<number>) =>
    async (batch: readonly IncomingMessage[]): Promise<void> => {
      events += await database.transaction((client) => take(client, batch));
    };
  await readTopics(parts, 'collections', collectionEvents, importing(importCollections));
  await readTopics(parts, 'decisions', decisionEvents, importing(importDecisions));
  await readTopics(parts, 'batches', submissionEvents, importing(importOutcomes));
  await readTopics(parts, 'outcomes', outcomeEvents, importing(importOutcomes));
  await database.transaction(async (client) => {
    await settleImported(client);
    await leaveCollectionIds(client);
    // What is imported was published. Where the backup has something that may not be, all is published again, and dropped by its ids.
    if (isPublished)
      await client.query('update relay_cursor set position = (select coalesce(max(position), 0) from events)');
  });
  note(`${events} events imported`);

  await readTopics(parts, 'accounts', [AccountOpened], (batch) =>
    handleAccountsOpened(
      parts,
      batch.filter((message) => isMessage(message, AccountOpened)),
    ),
  );
  const decided = await decideCommands(parts);
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
  const telling = setInterval(() => {
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
    clearInterval(telling);
    await reader.stop();
  }
}

/** Commands that were accepted and of which no decision was published: decided now, each once (I5, I6). */
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
    // The decision's event does not have the caller's reference, its command does.
    await database.query(
      `update stamps s set client_ref = r.client_ref from unnest($1::uuid[], $2::text[]) as r (id, client_ref)
       where s.id = r.id and s.client_ref is null and r.client_ref is not null`,
      [requests.map(({ data }) => data.requestId), requests.map(({ data }) => data.clientRef)],
    );
    add(await handleStampRequests({ database, chainId, now: Date.now, intake: openIntake }, requests));
  });
  return decided;
}

/** Takes over what lanes have on the chain, in one transaction, and their next nonces with it (I3). */
async function adoptFromChain(parts: RestoreParts): Promise<Omit<Restored, 'events' | 'decided'>> {
  const { database, rpc, chainId, contract, note } = parts;
  const { rows } = await database.query<{ number: number }>('select number from chain_cursor where chain_id = $1', [
    chainId,
  ]);
  const after = rows[0]?.number ?? 0;
  const { nonces, head } = await readLaneNonces(rpc, await knownLanes(parts));
  // Facts may have been read since the backup, by services that ran without what is taken over now.
  const from = Math.min(after + 1, parts.fromBlock ?? (await blockBefore(rpc, parts.since, head)));
  const transactions = await readLaneTransactions(rpc, {
    ...{ nonces, from, to: head },
    onProgress: (block) => {
      if (block % 1_000 === 0) note(`block ${block} of ${head}`);
    },
  });
  const revertedAbove = await revertLostBlocks(database, rpc, { chainId, after, head });
  const adopted = { known: 0, version: 0, batch: 0, nothing: 0 };
  let stampsMade = 0;
  let again = Number.POSITIVE_INFINITY;
  const dead: DeadBatches = new Set();
  await database.transaction(async (client) => {
    await setWaiting(client);
    for (const transaction of transactions) {
      const items = (hash: Hex) => readCarriedItems(rpc, hash, contract);
      const { kind, made } = await adoptTransaction(client, chainId, transaction, items, dead);
      adopted[kind]++;
      stampsMade += made;
      const { number } = transaction.block;
      if (number <= after && (kind === 'batch' || kind === 'version')) again = Math.min(again, number);
    }
    if (again <= after) await readAgain(client, chainId, again);
    for (const { lane, onChain } of nonces)
      await client.query(
        `insert into lanes (lane, chain_id, next_nonce)
         values ($1, $2, greatest($3::bigint, (select max(nonce) + 1 from batches where lane = $1)))
         on conflict (lane) do update set next_nonce = greatest(lanes.next_nonce, excluded.next_nonce)`,
        [bytesOfHex(lane), chainId, onChain],
      );
  });
  const { batch: batches, version: versions } = adopted;
  note(`${transactions.length} transactions of ${nonces.length} lanes found in blocks ${from} to ${head}`);
  return { transactions: transactions.length, batches, versions, stampsMade, revertedAbove: revertedAbove ?? null };
}

/** Facts from that block on are missing then: the chain-indexer publishes them again, and what they confirmed before stays so. */
async function readAgain(client: Client, chainId: number, block: number): Promise<void> {
  await client.query('update chain_cursor set number = $2, hash = $3, part = 1, parts = 1 where chain_id = $1', [
    ...[chainId, block - 1, bytesOfHex(unknownHash)],
  ]);
}

/** Every lane that is configured, stored, or named by a batch, with its next nonce as far as it is stored. */
async function knownLanes({ database, lanes, chainId }: RestoreParts): Promise<ReadonlyMap<Hex, number>> {
  const { rows } = await database.query<{ lane: Buffer; next: number }>(
    `select lane, max(next) as next from (
       select lane, next_nonce as next from lanes where chain_id = $1
       union all select lane, 0 from batches where chain_id = $1) as l group by lane`,
    [chainId],
  );
  const known = new Map<Hex, number>(lanes.map((lane) => [lane, 0]));
  for (const { lane, next } of rows) known.set(hexOfBytes(lane), Number(next));
  return known;
}
