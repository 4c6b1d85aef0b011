import type { Hex } from '@indelible/identifiers';
import type { EventData, StampConfirmed } from '@indelible/public-events';
import { type Batch, type BatchState, followBatch, type LogPlace, unknownBatch } from './batch-state.ts';
import type { EventWriter, NewEvent } from './event-of.ts';
import type { Collection, Envelope, Fact, FileFact } from './facts.ts';
import { followOrder, type StampNote, type Submission } from './stamp-order.ts';

/** The stored state of all that the facts are about. */
export type Memory = {
  readonly batches: ReadonlyMap<string, BatchState>;
  /** The ends of the accounts' logs. */
  readonly positions: ReadonlyMap<Hex, number>;
  /** Data of confirmations that become final, by {@link placeKey}. */
  readonly logged: ReadonlyMap<string, LoggedConfirmation>;
  /** Confirmed stamps. */
  readonly confirmed: ReadonlySet<string>;
  /** Failed stamps. */
  readonly failed: ReadonlySet<string>;
  /** By stamp. */
  readonly notes: ReadonlyMap<string, StampNote>;
  /** Files that arrived before their stamp's confirmation, by stamp, in order. */
  readonly earlyFiles: ReadonlyMap<string, readonly FileFact[]>;
  /** By {@link collectionKey}. */
  readonly collections: ReadonlyMap<string, Collection>;
};

export type Confirmation = EventData<typeof StampConfirmed>;
/** The data of its `stamp.confirmed`, and its request's trace. */
export type LoggedConfirmation = { readonly data: Confirmation; readonly traceparent?: string };
export const placeKey = ({ account, position }: LogPlace): string => `${account} ${position}`;

export const collectionKey = (account: Hex, setCid: Hex): string => `${account}/${setCid}`;

export type Projection = {
  /** In order. */
  readonly events: readonly NewEvent[];
  readonly batches: ReadonlyMap<string, BatchState>;
  /** Stamps confirmed by these facts. */
  readonly confirmed: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** Undefined: to be deleted. */
  readonly notes: ReadonlyMap<string, StampNote | undefined>;
  /** Files waiting for their stamp's confirmation. */
  readonly early: readonly FileFact[];
  /** Files that waited, and are in the events. */
  readonly released: readonly FileFact[];
  readonly registered: readonly Collection[];
  /** Collections created but not registered: the messages cannot be handled yet. */
  readonly unregistered: readonly { readonly account: Hex; readonly setCid: Hex }[];
};

/**
 * The events for subscribers from facts, in message order. Messages of one stamp arrive from several partitions, in any
 * order; its events are always in order: submitted, confirmed, then stored and finalized; after a reversion again.
 * Early ones wait.
 */
export function project(facts: readonly Fact[], memory: Memory, write: EventWriter): Projection {
  const events: NewEvent[] = [];
  const appended = new Map<Hex, NewEvent[]>();
  const batches = new Map<string, Batch>();
  const confirmed = new Set<string>();
  const failed = new Set<string>();
  const early: FileFact[] = [];
  const released = new Map<string, readonly FileFact[]>();
  const registered = new Map<string, Collection>();
  const unregistered: { account: Hex; setCid: Hex }[] = [];

  const batchOf = (batchId: string): Batch => {
    const known = batches.get(batchId) ?? followBatch(memory.batches.get(batchId) ?? unknownBatch);
    batches.set(batchId, known);
    return known;
  };
  /** Returns its log position. */
  const append = (event: NewEvent): LogPlace => {
    const { account } = event;
    const own = appended.get(account) ?? [];
    appended.set(account, own);
    own.push(event);
    events.push(event);
    return { account, position: endOf(account) + own.length };
  };
  const endOf = (account: Hex): number => memory.positions.get(account) ?? 0;
  const confirmationAt = (place: LogPlace): LoggedConfirmation => {
    const { account, position } = place;
    const own = appended.get(account)?.[position - endOf(account) - 1]?.event as LoggedConfirmation | undefined;
    const confirmation = own ?? memory.logged.get(placeKey(place));
    if (confirmation === undefined) throw new Error(`the log of ${account} has no confirmation at ${position}`);
    return confirmation;
  };
  /** A batch's finality covers many requests: each event belongs to the trace of its stamp's confirmation. */
  const finalizeLogged = ({ messageId, time }: Envelope, place: LogPlace): void => {
    const { data, traceparent } = confirmationAt(place);
    const envelope = { messageId, time, ...(traceparent === undefined ? {} : { traceparent }) };
    append(write.finalized(envelope, place.account, data));
  };
  const order = followOrder(memory.notes);
  const hasFailed = (stampId: string): boolean => failed.has(stampId) || memory.failed.has(stampId);
  const reportSubmissions = (submissions: readonly Submission[]): void => {
    for (const submission of submissions) append(write.submitted(submission, submission.batchId, submission.stamp));
  };
  const releaseFiles = (stampId: string): void => {
    if (released.has(stampId)) return;
    const files = memory.earlyFiles.get(stampId) ?? [];
    if (files.length > 0) released.set(stampId, files);
    const waiting = early.filter(({ stamp }) => stamp.stampId === stampId);
    for (const file of waiting) early.splice(early.indexOf(file), 1);
    for (const file of [...files, ...waiting]) append(write.file(file));
  };

  for (const fact of facts)
    switch (fact.kind) {
      case 'submitted': {
        const { messageId, time, batchId } = fact;
        const { unannounced, known } = batchOf(batchId).submit(fact);
        for (const { place, ...stamp } of known) order.submitReported(stamp, place);
        for (const { place, traceparent = fact.traceparent, ...stamp } of unannounced) {
          const envelope = { messageId, time, ...(traceparent === undefined ? {} : { traceparent }) };
          const submission = { ...envelope, batchId, stamp, ...(place === undefined ? {} : { place }) };
          // A failed stamp was submitted before: its subscribers have already seen the end.
          if (!hasFailed(stamp.stampId) && order.submit(submission)) reportSubmissions([submission]);
        }
        break;
      }
      case 'former-batch':
        batchOf(fact.batchId).submitFormer();
        break;
      case 'confirmed': {
        const { stamp, receipt } = fact;
        const batch = batchOf(fact.batchId);
        const { announce, final } = batch.confirm(stamp, receipt);
        reportSubmissions(order.confirm(stamp.stampId, fact.batchId, announce));
        if (announce) append(write.submitted(fact, fact.batchId, stamp));
        const place = append(write.confirmed(fact, stamp, receipt));
        confirmed.add(stamp.stampId);
        releaseFiles(stamp.stampId);
        if (final === undefined) batch.logged(stamp.stampId, receipt, place);
        else finalizeLogged(final, place);
        break;
      }
      case 'reverted':
        batchOf(fact.batchId).revert(fact.stamp.stampId, fact.receipt);
        append(write.reverted(fact, fact.stamp, fact.receipt));
        reportSubmissions(order.revert(fact.stamp.stampId));
        break;
      case 'former-reverted':
        reportSubmissions(order.revert(fact.stampId));
        break;
      case 'reversion-missing':
        reportSubmissions(order.giveUp(fact.stampId));
        break;
      case 'finalized':
        for (const known of batchOf(fact.batchId).finalize(fact))
          if ('position' in known) finalizeLogged(fact, known);
          else append(write.finalized(fact, known.stamp.account, write.confirmation(known.stamp, known.receipt)));
        break;
      case 'failed':
        failed.add(fact.stamp.stampId);
        order.fail(fact.stamp.stampId);
        append(write.failed(fact));
        break;
      case 'file-stored':
      case 'file-failed': {
        const { stampId } = fact.stamp;
        const isDue = !fact.withStamp || memory.confirmed.has(stampId) || confirmed.has(stampId);
        if (isDue) append(write.file(fact));
        else early.push(fact);
        break;
      }
      case 'collection-registered': {
        const { account, setCid } = fact.collection;
        registered.set(collectionKey(account, setCid), fact.collection);
        break;
      }
      case 'collection-created': {
        const key = collectionKey(fact.account, fact.setCid);
        const collection = registered.get(key) ?? memory.collections.get(key);
        if (collection === undefined) unregistered.push(fact);
        else for (const event of write.collectionCreated(fact, collection)) append(event);
        break;
      }
      case 'account-opened':
        append(write.accountOpened(fact));
        break;
      default:
        fact satisfies never;
    }
  return {
    events,
    batches: new Map([...batches].map(([batchId, batch]) => [batchId, batch.state()])),
    confirmed,
    failed,
    notes: order.changed,
    early,
    released: [...released.values()].flat(),
    registered: [...registered.values()],
    unregistered,
  };
}
