import type { Hex } from '@indelible/identifiers';
import type { Receipt, Refusal, StampStatus } from '@indelible/messages';
import type { IdentityLocks } from '@indelible/redis';
import { isAnsweredBy, type SharedOutcome } from '../../decisions/shared-outcome.ts';
import type { StampView } from '../../decisions/stamp-view.ts';
import type { AwaitedStamp, StoredFile } from '../../decisions/wait-for-stamp.ts';
import { createPatience } from '../../limits/patience.ts';
import { isShownAsCreated } from '../collections/await-created.ts';
import type { CollectionLookup } from '../collections/collection-lookup.ts';
import { type CommandPorts, submitAndAwait } from '../commands/submit-and-await.ts';
import type { NewestBlocks } from './newest-block.ts';
import { StampCommand, type StampCommandPorts, statusLimitMs, whereKnown } from './stamp-command.ts';
import type { KeyedAttempt, StampRequest } from './stamp-request.ts';
import { type Ticket, type Wait, type WaitingRoom, waitOf } from './waiting-room.ts';

export type StampAnswer =
  | {
      readonly kind: 'created';
      readonly stampId: string;
      readonly receipt: Receipt;
      readonly file: StoredFile | undefined;
    }
  | { readonly kind: 'repeated'; readonly stampId: string; readonly receipt: Receipt }
  | { readonly kind: 'accepted'; readonly stampId: string; readonly status: StampStatus }
  /** The wait limit passed: the stamp continues, and its status resource reports the outcome. */
  | { readonly kind: 'pending'; readonly stampId: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type StampPorts = StampCommandPorts &
  CommandPorts & {
    readonly locks: Pick<IdentityLocks, 'acquire' | 'follow' | 'release'>;
    readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
    readonly newestBlocks: Pick<NewestBlocks, 'note'>;
    readonly collections: CollectionLookup;
    /** @throws UnavailableError */
    readonly findStamp: (account: Hex, id: string, gone: AbortSignal) => Promise<StampView | undefined>;
  };

const followPollMs = 1_000;

/**
 * Stamps: takes the identity's lock, publishes the command, waits for the outcome. Redis only saves work here: without
 * a lock, a leader's outcome or a reply, a request publishes its own command, and Postgres decides (I2).
 * @throws retryable errors when another service is unavailable or too many wait, HttpError 429; nothing is half done
 *   then
 */
export async function stamp(ports: StampPorts, request: StampRequest): Promise<StampAnswer> {
  const command = new StampCommand(ports, request);
  let answer: StampAnswer | undefined;
  let ticket: Ticket | undefined;
  try {
    if (request.attempt === undefined) ticket = ports.waitingRoom.enter(request.account, request.onGone);
    const wait = ticket ?? waitOf((request.attempt as KeyedAttempt).signal);
    const windowSeconds = windowShared(request);
    answer =
      windowSeconds === undefined
        ? (await answerOf(ports, command, await submitAndAwait(ports, command, wait))).answer
        : await underLock(ports, command, wait, windowSeconds);
    return answer;
  } finally {
    ticket?.leave();
    if (command.isCounted && madeNothing(command, answer)) ports.stampQuota.give(request.account, 1);
    if (command.content !== undefined) await command.content.discard();
  }
}

/** Whether the command is known to have made no stamp. */
const madeNothing = ({ requestId, mayBePublished }: StampCommand, answer: StampAnswer | undefined): boolean =>
  !mayBePublished || (answer !== undefined && (answer.kind === 'refused' || answer.stampId !== requestId));

/**
 * Only idempotent requests that wait for their outcome share one. Others publish at once, and so does an attempt whose
 * command may already be published: it gets that command's outcome.
 */
const windowShared = ({ idempotency, respondAsync, attempt }: StampRequest): number | undefined =>
  respondAsync || attempt?.resumed === true ? undefined : idempotency?.windowSeconds;

async function underLock(
  ports: StampPorts,
  command: StampCommand,
  wait: Wait,
  windowSeconds: number,
): Promise<StampAnswer> {
  const { request, requestId } = command;
  const { account, target, objectCid } = request;
  const identity = `${account}:${target.setCid}:${objectCid}`;
  const lock = await ports.locks.acquire(identity, requestId);
  if (lock === 'held') {
    const leading = await followLeader(ports, identity, wait.signal);
    const requested = { target, windowSeconds, bringsContent: request.content !== undefined };
    if (isAnsweredBy(leading, requested, Math.floor(ports.now() / 1000))) {
      await ports.newestBlocks.note(account, leading.receipt.blockNumber);
      return { kind: 'repeated', stampId: leading.stampId, receipt: leading.receipt };
    }
  }
  let shared = nothingShared;
  try {
    const outcome = await answerOf(ports, command, await submitAndAwait(ports, command, wait));
    shared = outcome.shared;
    return outcome.answer;
  } finally {
    // Not awaited: the client need not wait for followers.
    if (lock === 'acquired') void ports.locks.release(identity, requestId, JSON.stringify(shared));
  }
}

/** The outcome of the request that holds the lock; none if it ended without one, or the wait limit passed. */
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

function answerOf(ports: StampPorts, command: StampCommand, awaited: AwaitedStamp): Outcome | Promise<Outcome> {
  const { request } = command;
  switch (awaited.kind) {
    case 'refused':
      return { answer: awaited, shared: nothingShared };
    case 'limit':
      if (!request.respondAsync)
        return { answer: { kind: 'pending', stampId: awaited.stampId }, shared: nothingShared };
      return acceptedAs(ports, command, awaited.stampId);
    case 'accepted':
      return acceptedAs(ports, command, awaited.stampId);
    case 'confirmed':
      return confirmedAs(ports, request, awaited);
  }
}

const nothingShared: SharedOutcome = { kind: 'none' };

function acceptedAs(ports: StampPorts, command: StampCommand, stampId: string): Outcome | Promise<Outcome> {
  const accepted = (status: StampStatus): Outcome => ({
    answer: { kind: 'accepted', stampId, status },
    shared: nothingShared,
  });
  // A new stamp was decided a moment ago; a joined one may have any status.
  if (stampId === command.requestId) return accepted('accepted');
  return statusOf(ports, command.request.account, stampId).then((known) => accepted(known?.status ?? 'accepted'));
}

async function confirmedAs(
  ports: StampPorts,
  request: StampRequest,
  { receipt, file, outcome, fresh, stampId, collectionCreated }: Extract<AwaitedStamp, { kind: 'confirmed' }>,
): Promise<Outcome> {
  const [shown] = await Promise.all([
    !collectionCreated || isShownAsCreated(ports.collections, receipt),
    ports.newestBlocks.note(request.account, receipt.blockNumber),
  ]);
  const target = request.target.key;
  const shared = { kind: 'answered', stampId, receipt, target, fresh, hasFile: file !== undefined } as const;
  if (!shown) return { answer: { kind: 'pending', stampId }, shared };
  return {
    answer:
      outcome === 'created' ? { kind: 'created', stampId, receipt, file } : { kind: 'repeated', stampId, receipt },
    shared,
  };
}

const statusOf = (ports: StampPorts, account: Hex, stampId: string): Promise<StampView | undefined> =>
  whereKnown(createPatience(statusLimitMs)((over) => ports.findStamp(account, stampId, over)));
