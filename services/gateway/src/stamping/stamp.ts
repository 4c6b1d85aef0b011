import { failpoint } from '@indelible/failpoints';
import { type Hex, newId } from '@indelible/identifiers';
import type { IdentityLocks } from '@indelible/identity-locks';
import { MessageInvalidError, outgoing, type Publisher, PublisherBusyError } from '@indelible/kafka';
import { type Receipt, type Refusal, RequestStamp, type StagedContent } from '@indelible/messages';
import type { ReplyReceiver } from '@indelible/replies';
import { awaitCreated } from '../collections/await-created.ts';
import type { CollectionLookup } from '../collections/collection-lookup.ts';
import { isAnsweredBy, type SharedOutcome } from '../decisions/shared-outcome.ts';
import type { ResolvedTarget } from '../decisions/target-set.ts';
import { type StoredFile, seeStatus, type Waiting } from '../decisions/wait-for-stamp.ts';
import type { DailyQuota } from '../limits/daily-quotas.ts';
import { createPatience } from '../limits/patience.ts';
import type { AcceptedStamp } from '../projections/note-accepted.ts';
import type { StampStatus, StampView } from '../projections/stamps.ts';
import { type Awaited, awaitStamp } from './await-stamp.ts';
import type { ReceivedContent } from './content.ts';
import type { NewestBlocks } from './newest-block.ts';
import type { StatusPoller } from './status-poller.ts';
import { shorterWait, type Wait, type WaitingRoom, waitOf } from './waiting-room.ts';

export type StampRequest = {
  readonly account: Hex;
  readonly objectCid: Hex;
  readonly target: ResolvedTarget;
  readonly idempotency: { readonly windowSeconds: number } | null;
  /** Content that is to be stored, and the name it gets. */
  readonly content: { readonly received: ReceivedContent; readonly fileName: string } | undefined;
  readonly respondAsync: boolean;
  /** Aborts when nobody reads the answer any more: the stamp goes on, its wait does not. */
  readonly gone?: AbortSignal;
  /** Of the HTTP request, for following it through logs and messages; the stamp's id is another. */
  readonly trace: { readonly requestId: string; readonly traceparent?: string };
  /** Given when the request is one attempt of several under an idempotency key. */
  readonly attempt?: KeyedAttempt;
};

/** An attempt at a request that may have been attempted before: all of them make the same command. */
export type KeyedAttempt = {
  readonly commandId: string;
  /** An earlier attempt may have published the command. */
  readonly resumed: boolean;
  /** Ends the wait; whoever gives it has its place in the waiting room. */
  readonly signal: AbortSignal;
};

export type StampAnswer =
  | {
      readonly kind: 'created';
      readonly stampId: string;
      readonly receipt: Receipt;
      readonly file: StoredFile | undefined;
    }
  | { readonly kind: 'repeated'; readonly stampId: string; readonly receipt: Receipt }
  | { readonly kind: 'accepted'; readonly stampId: string; readonly status: StampStatus }
  /** The wait limit passed: the stamp goes on, and its status resource tells of it. */
  | { readonly kind: 'pending'; readonly stampId: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type StampPorts = {
  readonly instanceId: string;
  readonly locks: Pick<IdentityLocks, 'acquire' | 'follow' | 'release'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly replies: Pick<ReplyReceiver, 'wait'>;
  readonly poller: Pick<StatusPoller, 'watch'>;
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly stampQuota: Pick<DailyQuota, 'take' | 'give'>;
  readonly newestBlocks: Pick<NewestBlocks, 'note'>;
  readonly collections: CollectionLookup;
  readonly noteAccepted: (stamp: AcceptedStamp) => Promise<void>;
  readonly findStamp: (account: Hex, id: string) => Promise<StampView | undefined>;
  readonly now: () => number;
};

/** How long an answer waits for the read model to show the collection it created. */
const viewLimitMs = 2_000;
/** How long a 202 waits to learn whether it joins or repeats a stamp; its status resource knows later in any case. */
const decisionLimitMs = 5_000;
const followPollMs = 1_000;
/** At the wait limit, 25 s, an answer takes no longer than this: clients wait 30 s. */
const noteLimitMs = 4_000;

/** The command of one request, and what its publishing has come to. */
type Attempt = {
  readonly request: StampRequest;
  readonly requestId: string;
  readonly requestedAt: string;
  /** Whether it is counted for the quota of its account. */
  isCounted: boolean;
  /** Set as soon as the command may be published: it may name the staged content, which only storage may remove then (I7). */
  mayBePublished: boolean;
};

/**
 * Stamps: takes the identity's lock, publishes the command, waits for the outcome. Redis only saves work here: whoever
 * finds no lock, no leader's outcome or no reply publishes a command of its own, and Postgres decides (I2).
 * @throws retryable errors when a neighbour is away or too many wait, HttpError 429; nothing is half done then
 */
export async function stamp(ports: StampPorts, request: StampRequest): Promise<StampAnswer> {
  const attempt: Attempt = {
    request,
    requestId: request.attempt?.commandId ?? newId(),
    requestedAt: new Date(ports.now()).toISOString(),
    isCounted: false,
    mayBePublished: false,
  };
  let answer: StampAnswer | undefined;
  try {
    answer = await inWaitingRoom(ports, attempt);
    return answer;
  } finally {
    if (attempt.isCounted && madeNothing(attempt, answer)) ports.stampQuota.give(request.account, 1);
    if (!attempt.mayBePublished) await request.content?.received.discard();
  }
}

/** Whether it is known that the command made no stamp. */
const madeNothing = ({ requestId, mayBePublished }: Attempt, answer: StampAnswer | undefined): boolean =>
  !mayBePublished || (answer !== undefined && (answer.kind === 'refused' || answer.stampId !== requestId));

async function inWaitingRoom(ports: StampPorts, attempt: Attempt): Promise<StampAnswer> {
  const { request } = attempt;
  if (request.attempt !== undefined) return underLock(ports, attempt, waitOf(request.attempt.signal));
  const ticket = ports.waitingRoom.enter(request.account, request.gone);
  try {
    return await underLock(ports, attempt, ticket);
  } finally {
    ticket.leave();
  }
}

/**
 * Only idempotent requests that wait for their outcome share one; the rest go straight to stamping, and so does an
 * attempt whose command may be under way already: its outcome is that command's.
 */
async function underLock(ports: StampPorts, attempt: Attempt, wait: Wait): Promise<StampAnswer> {
  const { request, requestId } = attempt;
  if (request.idempotency === null || request.respondAsync || request.attempt?.resumed === true)
    return (await publishAndWait(ports, attempt, wait)).answer;
  const { account, target, objectCid } = request;
  const identity = `${account}:${target.setCid}:${objectCid}`;
  switch (await ports.locks.acquire(identity, requestId)) {
    case 'unavailable':
      return (await publishAndWait(ports, attempt, wait)).answer;
    case 'held': {
      const shared = await followLeader(ports, identity, wait.signal);
      const { windowSeconds } = request.idempotency;
      const asked = { target, windowSeconds, bringsContent: request.content !== undefined };
      if (!isAnsweredBy(shared, asked, Math.floor(ports.now() / 1000)))
        return (await publishAndWait(ports, attempt, wait)).answer;
      await ports.newestBlocks.note(account, shared.receipt.blockNumber);
      return { kind: 'repeated', stampId: shared.stampId, receipt: shared.receipt };
    }
    case 'acquired': {
      let shared: SharedOutcome = { kind: 'none' };
      try {
        const outcome = await publishAndWait(ports, attempt, wait);
        shared = outcome.shared;
        return outcome.answer;
      } finally {
        // Not awaited: whoever asked need not wait for those who follow.
        void ports.locks.release(identity, requestId, JSON.stringify(shared));
      }
    }
  }
}

/** What came of the request that holds the lock; none when it went without an outcome, or the wait limit passed. */
async function followLeader(ports: StampPorts, identity: string, signal: AbortSignal): Promise<SharedOutcome> {
  const follower = await ports.locks.follow(identity);
  try {
    const followed = await follower.outcome(signal, followPollMs);
    return followed.kind === 'outcome' ? (JSON.parse(followed.outcome) as SharedOutcome) : { kind: 'none' };
  } catch {
    return { kind: 'none' };
  } finally {
    follower.close();
  }
}

type Outcome = { readonly answer: StampAnswer; readonly shared: SharedOutcome };

async function publishAndWait(ports: StampPorts, attempt: Attempt, wait: Wait): Promise<Outcome> {
  const { request, requestId } = attempt;
  const asked: Waiting = {
    requestId,
    bringsContent: request.content !== undefined,
    namesCollection: request.target.set.kind === 'named',
  };
  const waiter = ports.replies.wait(requestId);
  let waiting: Waiting | undefined;
  try {
    waiting = await seeEarlier(ports, attempt, asked);
    if (waiting === undefined) {
      await ports.stampQuota.take(request.account, 1);
      attempt.isCounted = true;
      const content = (await request.content?.received.keep(request.content.fileName)) ?? null;
      if (content !== null) failpoint('gateway.content-staged');
      await publish(ports, attempt, content);
      waiting = asked;
    }
  } catch (error) {
    waiter.close();
    throw error;
  }
  const { respondAsync } = request;
  if (!respondAsync) return answerOf(ports, attempt, await awaitStamp(ports, { waiting, waiter, respondAsync }, wait));
  const decision = shorterWait(wait, decisionLimitMs);
  try {
    return await answerOf(ports, attempt, await awaitStamp(ports, { waiting, waiter, respondAsync }, decision));
  } finally {
    decision.leave();
  }
}

/**
 * What an earlier attempt's command has become. Whatever the read model knows of it, it was published: then there is
 * nothing to publish again, and the content brought along is not needed.
 */
async function seeEarlier(ports: StampPorts, attempt: Attempt, asked: Waiting): Promise<Waiting | undefined> {
  const { request, requestId } = attempt;
  if (request.attempt?.resumed !== true) return undefined;
  const stamp = await ports.findStamp(request.account, requestId);
  return stamp === undefined ? undefined : seeStatus(asked, stamp);
}

async function publish(ports: StampPorts, attempt: Attempt, content: StagedContent | null): Promise<void> {
  const { request, requestId, requestedAt } = attempt;
  const { account, objectCid, idempotency, target, trace } = request;
  const command = outgoing(
    RequestStamp,
    {
      requestId,
      account,
      set: target.set,
      setCidHint: target.setCid,
      objectCid,
      idempotency,
      content,
      awaits: request.respondAsync ? 'decision' : 'outcome',
      replyTo: ports.instanceId,
      requestedAt,
      clientRef: null,
    },
    { id: requestId, time: requestedAt, ...trace },
  );
  attempt.mayBePublished = true;
  try {
    failpoint('gateway.command-due');
    await ports.publisher.publish([command]);
    failpoint('gateway.command-published');
  } catch (error) {
    // These two say that nothing was written; of any other fault the message may have been.
    if (error instanceof PublisherBusyError || error instanceof MessageInvalidError) attempt.mayBePublished = false;
    throw error;
  }
}

async function answerOf(ports: StampPorts, attempt: Attempt, awaited: Awaited): Promise<Outcome> {
  const { request } = attempt;
  const none: SharedOutcome = { kind: 'none' };
  switch (awaited.kind) {
    case 'refused':
      return { answer: awaited, shared: none };
    case 'limit':
      if (request.respondAsync) return answerOf(ports, attempt, { kind: 'accepted', stampId: awaited.stampId });
      await noteAccepted(ports, attempt, awaited.stampId);
      return { answer: { kind: 'pending', stampId: awaited.stampId }, shared: none };
    case 'accepted': {
      const { stampId } = awaited;
      await noteAccepted(ports, attempt, stampId);
      // A new one was decided a moment ago; one that it joins may be anywhere on its way.
      const known = stampId === attempt.requestId ? undefined : await ports.findStamp(request.account, stampId);
      const status = known?.status ?? 'accepted';
      return { answer: { kind: 'accepted', stampId, status }, shared: none };
    }
    case 'confirmed': {
      const { receipt, file, outcome, fresh, stampId } = awaited;
      const [shown] = await Promise.all([
        !awaited.collectionCreated || isShownAsCreated(ports, receipt),
        ports.newestBlocks.note(request.account, receipt.blockNumber),
        // The id of a keyed request tells no time, by which its status resource could be waited for (routes/get-stamp.ts).
        request.attempt !== undefined && stampId === attempt.requestId && noteAccepted(ports, attempt, stampId),
      ]);
      const target = request.target.key;
      const shared = { kind: 'answered', stampId, receipt, target, fresh, hasFile: file !== undefined } as const;
      if (!shown) {
        await noteAccepted(ports, attempt, stampId);
        return { answer: { kind: 'pending', stampId }, shared };
      }
      return {
        answer:
          outcome === 'created' ? { kind: 'created', stampId, receipt, file } : { kind: 'repeated', stampId, receipt },
        shared,
      };
    }
  }
}

async function isShownAsCreated(ports: StampPorts, receipt: Receipt): Promise<boolean> {
  const { account, setCid } = receipt;
  return (
    (await awaitCreated(ports.collections, { account, cid: setCid }, AbortSignal.timeout(viewLimitMs))) !== undefined
  );
}

/** The status resource must be found at once by whoever is told of it (I6). */
async function noteAccepted(ports: StampPorts, attempt: Attempt, stampId: string): Promise<void> {
  const { account, objectCid, target } = attempt.request;
  const { requestedAt } = attempt;
  const accepted: AcceptedStamp = { id: stampId, account, objectCid, setCid: target.setCid, requestedAt };
  await createPatience(noteLimitMs)(() => ports.noteAccepted(accepted));
}
