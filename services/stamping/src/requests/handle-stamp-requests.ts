import { appendEvents, claimMessages, type NewEvent } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import type { AddressedReply, Refusal, RequestStamp } from '@indelible/messages';
import { type Client, type Database, decideInTransaction } from '@indelible/postgres';
import { failpoint } from '@indelible/service-runtime';
import { resolveSet } from '../decisions/resolve-set.ts';
import { refuseText } from '../decisions/storable-text.ts';
import { schema } from '../schema.ts';
import { insertCollections, type NewCollection, registeredEvent } from './collection-queries.ts';
import { createDecisionRecord, type Resolved } from './decision-record.ts';
import type { Intake, IntakeNow } from './intake.ts';
import { type LookAtRequests, lookAtRequests, refuseName } from './look-at-requests.ts';
import { insertJoinedRequests, insertStamps } from './stamp-queries.ts';

export const consumer = 'stamping.requests';

/** The outcome of a batch of requests; `requestIds` are from HTTP, for the log. */
export type RequestOutcome = {
  readonly requestIds: readonly string[];
  readonly traceparents: readonly string[];
  readonly replies: readonly AddressedReply[];
  readonly counts: Readonly<Record<string, number>>;
};

/**
 * Decides a batch of stamp requests in order and records everything in one transaction: inbox, stamps, events (I2, I5).
 * Returns the replies, to be sent after the commit.
 */
export async function handleStampRequests(
  dependencies: {
    readonly database: Database;
    readonly chainId: number;
    readonly now: () => number;
    readonly intake: Intake;
  },
  messages: readonly IncomingMessage<typeof RequestStamp>[],
): Promise<RequestOutcome> {
  const { database, chainId } = dependencies;
  const intake = await dependencies.intake.look();
  return decideInTransaction(database, async (client) => {
    const unseen = await claimMessages(
      client,
      consumer,
      messages.map((message) => message.id),
    );
    const fresh = messages.filter((message) => unseen.delete(message.id));
    if (fresh.length === 0) return { requestIds: [], traceparents: [], replies: [], counts: {} };

    const look = await lookAtRequests(
      client,
      chainId,
      fresh.map(({ data }) => data),
    );
    const resolved = resolveSets(fresh, look, intake);
    const identities = await look.identitiesOf(
      // Other requests' decisions do not depend on identities.
      resolved
        .filter(({ message, set }) => message.data.idempotency !== null && set.kind !== 'refused')
        .map(({ message, set }) => ({ ...message.data, setCid: set.setCid })),
    );
    const registered = await registerCollections(client, resolved);
    const record = createDecisionRecord({
      identities,
      collectionIds: registered.ids,
      nowSeconds: Math.floor(dependencies.now() / 1000),
      intake,
    });
    for (const one of resolved) record.decide(one);
    await insertStamps(client, record.stamps);
    await insertJoinedRequests(client, record.joined);
    await appendEvents(client, schema, [...registered.events, ...record.events]);
    failpoint('stamping.deciding');
    return {
      requestIds: requestIdsOf(fresh),
      traceparents: traceparentsOf(fresh),
      replies: record.replies,
      counts: record.counts,
    };
  });
}

/** Resolves each request's set; a name that one request adds is known to later ones. */
function resolveSets(
  messages: readonly IncomingMessage<typeof RequestStamp>[],
  { unserviceable, collections: known }: LookAtRequests,
  intake: IntakeNow,
): Resolved[] {
  const before = new Map<Hex, number>();
  return messages.map((message, beforeAll) => {
    const { account } = message.data;
    const refusal = unserviceable.get(account) ?? refuseName(message.data) ?? refuseReference(message.data);
    if (refusal !== undefined) return { message, set: { kind: 'refused', setCid: message.data.setCidHint, refusal } };
    const ofAccount = before.get(account) ?? 0;
    before.set(account, ofAccount + 1);
    const set = resolveSet(account, message.data.set, known);
    // An unregistered collection has nothing in flight or confirmed: its stamp is new, and so are at most all before
    // it.
    const closed = set.kind === 'new' ? intake.refuse(message.data, ofAccount, beforeAll) : undefined;
    if (closed !== undefined) return { message, set: { kind: 'refused', setCid: set.setCid, refusal: closed } };
    if (set.kind === 'new') known.add({ id: null, account, cid: set.setCid, name: set.name });
    return { message, set };
  });
}

const refuseReference = ({ clientRef }: RequestStamp): Refusal | undefined =>
  clientRef === null ? undefined : refuseText('client_ref', clientRef);

/** Registers collections that requests name and the account lacks: unpinned, without a description. */
async function registerCollections(
  client: Client,
  resolved: readonly Resolved[],
): Promise<{ ids: ReadonlyMap<string, number>; events: readonly NewEvent[] }> {
  const collections: NewCollection[] = resolved.flatMap(({ message, set }) =>
    set.kind === 'new'
      ? [
          {
            account: message.data.account,
            cid: set.setCid,
            name: set.name,
            description: null,
            isPinned: false,
            registeredAt: message.data.requestedAt,
          },
        ]
      : [],
  );
  const ids = await insertCollections(client, collections);
  const idOf = (i: number): number => ids[i] as number;
  return {
    ids: new Map(collections.map((collection, i) => [collection.account + collection.cid, idOf(i)])),
    events: collections.map((collection, i) => registeredEvent(idOf(i), collection)),
  };
}

export const requestIdsOf = (messages: readonly Pick<IncomingMessage, 'requestId'>[]): string[] =>
  messages.flatMap(({ requestId }) => (requestId === undefined ? [] : [requestId]));

export const traceparentsOf = (messages: readonly Pick<IncomingMessage, 'traceparent'>[]): string[] =>
  messages.flatMap(({ traceparent }) => (traceparent === undefined ? [] : [traceparent]));
