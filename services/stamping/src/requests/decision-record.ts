import { type NewEvent, newEvent } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import type { AddressedReply, Reply } from '@indelible/messages';
import {
  PlainRequestJoined,
  PlainRequestRefused,
  type Refusal,
  type RequestStamp,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
} from '@indelible/messages';
import { decideStamp, type IdentityState, identityKey } from '../decisions/decide-stamp.ts';
import type { ResolvedSet } from '../decisions/resolve-set.ts';
import { stampStream } from '../stamp-stream.ts';
import type { IntakeNow } from './intake.ts';
import type { NewStamp } from './stamp-queries.ts';

export type Resolved = { readonly message: IncomingMessage<typeof RequestStamp>; readonly set: ResolvedSet };

type JoinedRequest = { readonly requestId: string; readonly stampId: string; readonly replyTo: string };

/**
 * Collects writes and replies of a batch of decisions. Each decision sees those before it: a stamp that one request of
 * the batch makes is in flight for the next.
 */
export function createDecisionRecord(facts: {
  readonly identities: ReadonlyMap<string, IdentityState>;
  /** Ids of collections this batch registers, by account and CID. */
  readonly collectionIds: ReadonlyMap<string, number>;
  readonly nowSeconds: number;
  /** Whether new stamps are open; joins and repeats are. */
  readonly intake: IntakeNow;
}) {
  const identities = new Map(facts.identities);
  const stamps: NewStamp[] = [];
  /** Number of these per account. */
  const added = new Map<Hex, number>();
  const joined: JoinedRequest[] = [];
  const events: NewEvent[] = [];
  const replies: AddressedReply[] = [];
  const counts = { new: 0, joined: 0, repeated: 0, refused: 0 };

  function decide({ message, set }: Resolved): void {
    const { data } = message;
    const answer = (reply: Reply): void => {
      if (data.replyTo !== null) replies.push({ replyTo: data.replyTo, reply });
    };
    const envelope = {
      ...(message.requestId === undefined ? {} : { requestId: message.requestId }),
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
    };
    const { requestId, account, objectCid, content, requestedAt } = data;
    const ownStream = { stream: `request-${requestId}`, version: 1, ...envelope };

    const refuse = (refusal: Refusal): void => {
      counts.refused++;
      const refused = { requestId, account, setCid: set.setCid, objectCid, refusal, requestedAt };
      events.push(
        content === null
          ? newEvent(PlainRequestRefused, refused, ownStream)
          : newEvent(StampRequestRefused, { ...refused, content }, ownStream),
      );
      answer({ requestId, kind: 'refused', refusal });
    };
    const join = (stampId: string): void => {
      const joins = { requestId, stampId, account };
      events.push(
        content === null
          ? newEvent(PlainRequestJoined, joins, ownStream)
          : newEvent(StampRequestJoined, { ...joins, content }, ownStream),
      );
    };
    if (set.kind === 'refused') {
      refuse(set.refusal);
      return;
    }

    const key = identityKey(account, set.setCid, objectCid);
    const state = identities.get(key) ?? { inFlight: undefined, newest: undefined };
    const decision = decideStamp(data, state, facts.nowSeconds);
    switch (decision.kind) {
      case 'new': {
        const ofAccount = added.get(account) ?? 0;
        const closed = facts.intake.refuse(data, ofAccount, stamps.length);
        if (closed !== undefined) {
          refuse(closed);
          return;
        }
        added.set(account, ofAccount + 1);
        counts.new++;
        const collection = set.kind === 'none' ? null : collectionOf(set, account, facts.collectionIds);
        identities.set(key, { ...state, inFlight: state.inFlight ?? { stampId: requestId } });
        stamps.push({
          id: requestId,
          account,
          setCid: set.setCid,
          objectCid,
          collectionId: collection?.id ?? null,
          exclusive: data.idempotency !== null,
          content,
          replyTo: data.replyTo,
          requestId: message.requestId ?? null,
          traceparent: message.traceparent ?? null,
          clientRef: data.clientRef,
          requestedAt,
        });
        events.push(
          newEvent(
            StampRequested,
            {
              stampId: requestId,
              account,
              setCid: set.setCid,
              objectCid,
              collectionName: collection?.name ?? null,
              content,
              replyTo: data.replyTo,
              requestedAt,
            },
            { stream: stampStream(requestId), version: 1, ...envelope },
          ),
        );
        if (data.awaits === 'decision') answer({ requestId, kind: 'decided', decision: 'new', stampId: requestId });
        return;
      }
      case 'join': {
        const { stampId } = decision;
        counts.joined++;
        if (data.replyTo !== null) joined.push({ requestId, stampId, replyTo: data.replyTo });
        join(stampId);
        answer({ requestId, kind: 'decided', decision: 'joined', stampId });
        return;
      }
      case 'repeat': {
        const { stampId, receipt } = decision;
        counts.repeated++;
        join(stampId);
        answer({
          requestId,
          kind: 'confirmed',
          outcome: 'repeated',
          stampId,
          receipt,
          collectionCreated: false,
          awaitsFile: false,
        });
        return;
      }
    }
  }
  return { decide, stamps, joined, events, replies, counts };
}

function collectionOf(
  set: Extract<ResolvedSet, { kind: 'existing' | 'new' }>,
  account: string,
  ids: ReadonlyMap<string, number>,
): { id: number; name: string } {
  const known = set.kind === 'existing' ? set.collection : { id: null, name: set.name };
  const id = known.id ?? ids.get(account + set.setCid);
  if (id === undefined) throw new Error(`collection ${set.setCid} has no id`);
  return { id, name: known.name };
}
