import type { ConfirmationDepth } from '@indelible/ethereum';
import { appendEvents, claimMessages, newEvent } from '@indelible/event-store';
import { failpoint } from '@indelible/failpoints';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CollectionCreated,
  StampConfirmed,
} from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import type { AddressedReply } from '@indelible/replies';
import { UnavailableError } from '@indelible/service-runtime';
import { grantRevoked } from '../accounts/revoked-accounts.ts';
import { collectionStream } from '../requests/collection-queries.ts';
import { schema } from '../schema.ts';
import { stampStream } from '../stamp-stream.ts';
import { announceWork } from '../work-channel.ts';
import {
  type ConfirmedCollection,
  confirmCollections,
  includeCollections,
  takeCollectionRequests,
} from './collection-queries.ts';
import { follows, lockCursor, saveCursor, saveSafe } from './cursor.ts';
import { followDelegations } from './delegation-queries.ts';
import { failStamps } from './fail-stamps.ts';
import { finalizeBatches } from './finalize-batches.ts';
import { type ConfirmedStamp, confirmStamps, includeBatches, includeStamps } from './inclusion-queries.ts';
import { takeJoinedRequests } from './joined-requests.ts';
import { revertBlocks } from './revert-blocks.ts';

export const consumer = 'stamping.chain';

export type ChainOutcome = {
  readonly replies: readonly AddressedReply[];
  readonly confirmed: number;
  /** Of the HTTP requests whose stamps are confirmed. */
  readonly requestIds: readonly string[];
  readonly reverted: number;
  /** Object logs of our own transactions that are no stamp of ours: never to happen, and never to be passed over. */
  readonly unmatched: readonly string[];
};

type Dependencies = {
  readonly database: Database;
  readonly chainId: number;
  readonly operator: Hex;
  readonly confirmation: ConfirmationDepth;
};

/** So many logs end a transaction; a block with many comes in parts. */
const someLogs = 250;

/** Messages in their order, cut where a transaction has enough to do. */
export function cutChainFacts(messages: readonly IncomingMessage[]): readonly (readonly IncomingMessage[])[] {
  const cut: IncomingMessage[][] = [[]];
  let logs = 0;
  for (const message of messages) {
    if (logs >= someLogs) {
      cut.push([]);
      logs = 0;
    }
    cut.at(-1)?.push(message);
    if (isMessage(message, BlockAppended)) logs += message.data.logs.length;
  }
  return cut;
}

/** Takes the facts of a chain in their order, each once (I5), and confirms, reverts and finalizes stamps by them. */
export function handleChainFacts(
  dependencies: Dependencies,
  messages: readonly IncomingMessage[],
): Promise<ChainOutcome> {
  const facts = messages.filter(isChainFact).filter(({ data }) => data.chainId === dependencies.chainId);
  return dependencies.database.transaction(async (client) => {
    const unseen = await claimMessages(
      client,
      consumer,
      facts.map((message) => message.id),
    );
    const outcome = {
      replies: [] as AddressedReply[],
      confirmed: 0,
      requestIds: [] as string[],
      reverted: 0,
      unmatched: [] as string[],
    };
    for (const message of facts.filter((one) => unseen.delete(one.id))) {
      if (isMessage(message, BlockAppended)) await appendBlock(client, dependencies, message.data, outcome);
      else if (isMessage(message, BlocksReverted)) {
        const { stamps } = await revertBlocks(client, message.data);
        await saveCursor(client, message.data.chainId, { ...message.data.ancestor, part: 1, parts: 1 });
        outcome.reverted += stamps;
      } else if (isMessage(message, BlocksSafe)) {
        await saveSafe(client, message.data);
        if (dependencies.confirmation === 'safe') await confirmUpTo(client, dependencies, message.data, outcome);
      } else if (isMessage(message, BlocksFinalized)) {
        // What is final is safe as well.
        await saveSafe(client, message.data);
        if (typeof dependencies.confirmation !== 'number')
          await confirmUpTo(client, dependencies, message.data, outcome);
        await finalizeBatches(client, message.data);
      }
    }
    return outcome;
  });
}

type ChainFact = IncomingMessage<(typeof chainFacts)[number]>;
const chainFacts = [BlockAppended, BlocksReverted, BlocksSafe, BlocksFinalized] as const;
const isChainFact = (message: IncomingMessage): message is ChainFact =>
  chainFacts.some((contract) => isMessage(message, contract));

async function appendBlock(
  client: Client,
  dependencies: Dependencies,
  block: BlockAppended,
  outcome: OpenOutcome,
): Promise<void> {
  const { chainId, operator, confirmation } = dependencies;
  const cursor = await lockCursor(client, chainId);
  if (!follows(cursor, block))
    throw new UnavailableError(
      `block ${block.number} (part ${block.part}) does not follow block ${cursor?.number} (part ${cursor?.part} of ${cursor?.parts})`,
    );
  await saveCursor(client, chainId, block);

  if (block.logs.length > 0) {
    const delegations = await followDelegations(client, block, operator);
    const batches = await includeBatches(client, block);
    await includeCollections(client, block);
    for (const account of delegations.revoked)
      outcome.replies.push(...(await failStamps(client, 'waiting of account', bytesOfHex(account), grantRevoked)));
    if (delegations.granted || batches.batches > 0) await announceWork(client);
    const atOnce = confirmation === 1;
    if (atOnce)
      outcome.replies.push(
        ...(await recordCollections(client, chainId, await confirmCollections(client, block.number))),
      );
    const { matched, confirmed } = await includeStamps(client, block, atOnce);
    if (matched !== batches.objectLogs)
      outcome.unmatched.push(`block ${block.number} part ${block.part}: ${batches.objectLogs} logs, ${matched} stamps`);
    await noteConfirmed(client, confirmed, outcome);
  }
  if (typeof confirmation === 'number' && confirmation > 1)
    await confirmUpTo(client, dependencies, { chainId, number: block.number - confirmation + 1 }, outcome);
}

type OpenOutcome = { replies: AddressedReply[]; confirmed: number; requestIds: string[]; unmatched: string[] };

/** What stands in this block or below it is confirmed (I1). */
async function confirmUpTo(
  client: Client,
  { chainId }: Dependencies,
  block: { readonly chainId: number; readonly number: number },
  outcome: OpenOutcome,
): Promise<void> {
  outcome.replies.push(...(await recordCollections(client, chainId, await confirmCollections(client, block.number))));
  await noteConfirmed(client, await confirmStamps(client, chainId, block.number), outcome);
}

async function noteConfirmed(
  client: Client,
  confirmed: readonly ConfirmedStamp[],
  outcome: OpenOutcome,
): Promise<void> {
  outcome.replies.push(...(await recordConfirmed(client, confirmed)));
  if (confirmed.length > 0) failpoint('stamping.confirming');
  outcome.confirmed += confirmed.length;
  outcome.requestIds.push(...confirmed.flatMap(({ requestId }) => requestId ?? []));
}

async function recordConfirmed(client: Client, stamps: readonly ConfirmedStamp[]): Promise<readonly AddressedReply[]> {
  if (stamps.length === 0) return [];
  await appendEvents(
    client,
    schema,
    stamps.map(({ stampId, version, receipt, collectionName, content, replyTo, requestId }) =>
      newEvent(
        StampConfirmed,
        { stampId, receipt, collectionName, content, replyTo },
        { stream: stampStream(stampId), version, ...(requestId === null ? {} : { requestId }) },
      ),
    ),
  );
  const byId = new Map(stamps.map((stamp) => [stamp.stampId, stamp]));
  const joined = await takeJoinedRequests(client, [...byId.keys()]);
  const confirmedReply = (stamp: ConfirmedStamp) => ({
    kind: 'confirmed' as const,
    stampId: stamp.stampId,
    receipt: stamp.receipt,
    collectionCreated: stamp.collectionBlock === stamp.receipt.blockNumber,
  });
  return [
    ...stamps.flatMap((stamp) =>
      stamp.replyTo === null
        ? []
        : [
            {
              replyTo: stamp.replyTo,
              reply: {
                ...confirmedReply(stamp),
                requestId: stamp.stampId,
                outcome: 'created' as const,
                awaitsFile: stamp.content !== null,
              },
            },
          ],
    ),
    ...joined.map(({ requestId, stampId, replyTo }) => ({
      replyTo,
      reply: {
        ...confirmedReply(byId.get(stampId) as ConfirmedStamp),
        requestId,
        outcome: 'repeated' as const,
        awaitsFile: false,
      },
    })),
  ];
}

async function recordCollections(
  client: Client,
  chainId: number,
  collections: readonly ConfirmedCollection[],
): Promise<readonly AddressedReply[]> {
  if (collections.length === 0) return [];
  await appendEvents(
    client,
    schema,
    collections.map(({ version, ...created }) =>
      newEvent(CollectionCreated, { ...created, chainId }, { stream: collectionStream(created.collectionId), version }),
    ),
  );
  const byId = new Map(collections.map((collection) => [collection.collectionId, collection]));
  const waiting = await takeCollectionRequests(client, [...byId.keys()]);
  return waiting.flatMap(({ requestId, collectionId, replyTo }) => {
    const collection = byId.get(collectionId);
    if (replyTo === null || collection === undefined) return [];
    const { account, cid } = collection;
    return [{ replyTo, reply: { requestId, kind: 'collection-created' as const, collectionId, account, cid } }];
  });
}
