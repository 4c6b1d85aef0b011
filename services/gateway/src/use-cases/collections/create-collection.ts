import { foldName, type Hex, newId } from '@indelible/identifiers';
import { type OutgoingMessage, outgoing } from '@indelible/kafka';
import { CreateCollection, type Refusal } from '@indelible/messages';
import { type AwaitedCollection, type SeenCollection, untilCreated } from '../../decisions/wait-for-collection.ts';
import type { DailyQuota } from '../../limits/daily-quotas.ts';
import type { CollectionView } from '../../projections/collections.ts';
import type { RequestTrace } from '../../request-trace.ts';
import { type Command, type CommandPorts, submitAndAwait } from '../commands/submit-and-await.ts';
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
  /** Calls `ended` when the client disconnects, which ends the wait. */
  readonly onGone?: (ended: () => void) => void;
  readonly trace: RequestTrace;
};

export type CollectionAnswer =
  | { readonly kind: 'created'; readonly collection: CollectionView }
  /** `taken`: what another collection of the account has. */
  | { readonly kind: 'exists'; readonly collection: CollectionView; readonly taken: 'name' | 'cid' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /**
   * The wait limit passed. A repeated request waits for the creation. `registered`: the read model has the collection.
   */
  | { readonly kind: 'pending'; readonly registered: boolean };

export type CollectionPorts = CommandPorts & {
  readonly instanceId: string;
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly stampQuota: Pick<DailyQuota, 'take' | 'give'>;
  readonly lookup: CollectionLookup;
  /** The default CID of a name. */
  readonly cidOfName: (name: string) => Hex;
  readonly now: () => number;
};

/**
 * Creates a collection: registered and recorded on chain by stamping, answered when the read model shows it.
 * @throws retryable errors when another service is unavailable or too many wait; HttpError 429
 */
export async function createCollection(ports: CollectionPorts, request: CollectionRequest): Promise<CollectionAnswer> {
  const { account, name } = request;
  const [named, holder] = await Promise.all([
    ports.lookup({ account, folded: foldName(name) }),
    ports.lookup({ account, cid: request.cid ?? ports.cidOfName(name) }),
  ]);
  if (named?.created === true) return { kind: 'exists', collection: named, taken: 'name' };
  if (holder?.created === true) return { kind: 'exists', collection: holder, taken: 'cid' };

  const ticket = ports.waitingRoom.enter(account, request.onGone);
  // A repeated request waits for what the first one made.
  const command = commandOf(ports, request, named === undefined);
  let answer: CollectionAnswer | undefined;
  try {
    answer = await answerOf(ports, request, await submitAndAwait(ports, command, ticket), ticket.signal);
    return answer;
  } finally {
    ticket.leave();
    const madeNothing = !command.mayBePublished || answer?.kind === 'exists' || answer?.kind === 'refused';
    if (command.isCounted && madeNothing) ports.stampQuota.give(account, 1);
  }
}

type CollectionCommand = Command<AwaitedCollection | undefined, SeenCollection, AwaitedCollection> & {
  /** Whether it counts towards its account's quota. */
  isCounted: boolean;
};

function commandOf(ports: CollectionPorts, request: CollectionRequest, isNew: boolean): CollectionCommand {
  const { account, name } = request;
  const requestId = newId();
  const command: CollectionCommand = {
    requestId,
    mayBePublished: false,
    isCounted: false,
    rules: untilCreated,
    state: undefined,
    async prepare() {
      if (isNew) {
        const counting = ports.stampQuota.take(account, 1);
        command.isCounted = counting === undefined || (await counting).isCounted;
      }
      return messageOf(ports, request, requestId);
    },
    watchStatus(onStatus) {
      const stopped = new AbortController();
      awaitCreated(ports.lookup, { account, folded: foldName(name) }, stopped.signal).then(
        (collection) => collection !== undefined && onStatus({ kind: 'shown', collection }),
        (error: unknown) => onStatus({ kind: 'fault', error }),
      );
      return () => stopped.abort();
    },
  };
  return command;
}

function messageOf(ports: CollectionPorts, request: CollectionRequest, requestId: string): OutgoingMessage {
  const { account, name, cid, description, isPinned, trace } = request;
  const requestedAt = new Date(ports.now()).toISOString();
  return outgoing(
    CreateCollection,
    { requestId, account, name, cid, description, isPinned, replyTo: ports.instanceId, requestedAt },
    { id: requestId, time: requestedAt, ...trace },
  );
}

async function answerOf(
  ports: CollectionPorts,
  request: CollectionRequest,
  awaited: AwaitedCollection,
  signal: AbortSignal,
): Promise<CollectionAnswer> {
  const key = { account: request.account, folded: foldName(request.name) };
  const shownAs = (collection: CollectionView): CollectionAnswer =>
    // The refusal of a request that differs from the one in flight may come late or be lost.
    isAsRequested(ports, request, collection)
      ? { kind: 'created', collection }
      : { kind: 'exists', collection, taken: 'name' };
  const atLimit = async (): Promise<CollectionAnswer> => {
    const view = await ports.lookup(key);
    return view?.created === true ? shownAs(view) : { kind: 'pending', registered: view !== undefined };
  };
  switch (awaited.kind) {
    case 'refused':
      return awaited;
    case 'shown':
      return shownAs(awaited.collection);
    case 'created': {
      const collection = await awaitCreated(ports.lookup, key, signal);
      return collection === undefined ? atLimit() : shownAs(collection);
    }
    case 'limit':
      return atLimit();
    case 'fault':
      throw awaited.error;
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
