import { foldName, type Hex, newId } from '@indelible/identifiers';
import { outgoing, type Publisher } from '@indelible/kafka';
import { CreateCollection, type Refusal } from '@indelible/messages';
import type { ReplyReceiver, ReplyWaiter } from '@indelible/replies';
import type { DailyQuota } from '../limits/daily-quotas.ts';
import type { CollectionView } from '../projections/collections.ts';
import type { WaitingRoom } from '../stamping/waiting-room.ts';
import { awaitCreated } from './await-created.ts';
import type { CollectionLookup } from './collection-lookup.ts';

export type CollectionRequest = {
  readonly account: Hex;
  readonly name: string;
  /** Null: the CID of the name. */
  readonly cid: Hex | null;
  readonly description: string | null;
  readonly isPinned: boolean;
  /** Ends the wait of a client that has left. */
  readonly gone?: AbortSignal;
  readonly trace: { readonly requestId: string; readonly traceparent?: string };
};

export type CollectionAnswer =
  | { readonly kind: 'created'; readonly collection: CollectionView }
  /** `taken` is what another collection of the account has. */
  | { readonly kind: 'exists'; readonly collection: CollectionView; readonly taken: 'name' | 'cid' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The wait limit passed. The same request again waits for its creation; registered: its name is known to be taken by it. */
  | { readonly kind: 'pending'; readonly registered: boolean };

export type CollectionPorts = {
  readonly instanceId: string;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly replies: Pick<ReplyReceiver, 'wait'>;
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly stampQuota: Pick<DailyQuota, 'take' | 'give'>;
  readonly lookup: CollectionLookup;
  /** The CID of a name, for collections that are given none. */
  readonly cidOfName: (name: string) => Hex;
  readonly now: () => number;
};

/**
 * Creates a collection: registered and recorded on chain by stamping, answered when the read model shows it.
 * @throws retryable errors when a neighbour is away or too many wait; HttpError 429
 */
export async function createCollection(ports: CollectionPorts, request: CollectionRequest): Promise<CollectionAnswer> {
  const { account, name } = request;
  const [named, holder] = await Promise.all([
    ports.lookup({ account, folded: foldName(name) }),
    ports.lookup({ account, cid: request.cid ?? ports.cidOfName(name) }),
  ]);
  if (named?.created === true) return { kind: 'exists', collection: named, taken: 'name' };
  if (holder?.created === true) return { kind: 'exists', collection: holder, taken: 'cid' };

  const ticket = ports.waitingRoom.enter(account, request.gone);
  const requestId = newId();
  // The same request again waits for what the first one made.
  const isNew = named === undefined;
  try {
    if (isNew) await ports.stampQuota.take(account, 1);
    const waiter = ports.replies.wait(requestId);
    try {
      await publish(ports, request, requestId);
      const answer = await outcome(ports, request, waiter, ticket.signal);
      if (isNew && (answer.kind === 'exists' || answer.kind === 'refused')) ports.stampQuota.give(account, 1);
      return answer;
    } finally {
      waiter.close();
    }
  } finally {
    ticket.leave();
  }
}

async function publish(ports: CollectionPorts, request: CollectionRequest, requestId: string): Promise<void> {
  const { account, name, cid, description, isPinned, trace } = request;
  const requestedAt = new Date(ports.now()).toISOString();
  await ports.publisher.publish([
    outgoing(
      CreateCollection,
      { requestId, account, name, cid, description, isPinned, replyTo: ports.instanceId, requestedAt },
      { id: requestId, time: requestedAt, ...trace },
    ),
  ]);
}

/** A refusal comes by reply alone; the creation is seen in the read model, sooner when a reply tells of it. */
async function outcome(
  ports: CollectionPorts,
  request: CollectionRequest,
  waiter: ReplyWaiter,
  signal: AbortSignal,
): Promise<CollectionAnswer> {
  const { account, name } = request;
  const settled = new AbortController();
  const until = AbortSignal.any([signal, settled.signal]);
  const told = async (): Promise<CollectionAnswer> => {
    for (;;) {
      const reply = await waiter.next(until);
      if (reply.kind === 'refused') return { kind: 'refused', refusal: reply.refusal };
      if (reply.kind === 'collection-created') return shown();
    }
  };
  const shown = async (): Promise<CollectionAnswer> => {
    const collection = await awaitCreated(ports.lookup, { account, folded: foldName(name) }, until);
    if (collection === undefined)
      return { kind: 'pending', registered: (await ports.lookup({ account, folded: foldName(name) })) !== undefined };
    // The refusal of a request that differs from the one in flight may be late, or lost.
    return isAsRequested(ports, request, collection)
      ? { kind: 'created', collection }
      : { kind: 'exists', collection, taken: 'name' };
  };
  try {
    return await Promise.race([shown(), told().catch(() => new Promise<never>(() => {}))]);
  } finally {
    settled.abort();
  }
}

const isAsRequested = (
  { cidOfName }: Pick<CollectionPorts, 'cidOfName'>,
  request: CollectionRequest,
  collection: CollectionView,
): boolean =>
  collection.cid === (request.cid ?? cidOfName(collection.name)) &&
  collection.description === request.description &&
  collection.isPinned === request.isPinned;
