import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV2,
} from '@indelible/messages';
import { PermanentError } from '@indelible/service-runtime';
import type { RefusalMessage, StampMessage } from '../decisions/follow-stamp.ts';

/** What is handled of events.stamps, of former versions as well. */
export const stampMessages = [
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampConfirmed,
  StampConfirmedV2,
  StampReverted,
  StampRevertedV2,
  StampFailed,
  StampFailedV1,
];

/** Storage ignores stamps without content; in records of releases without labels only the messages show it. */
export const mayChangeFiles = (message: IncomingMessage): boolean =>
  !isMessage(message, StampRequested) || message.data.content !== null;

/** @throws PermanentError for any other message */
export function stampMessageOf(message: IncomingMessage): StampMessage | RefusalMessage {
  const { id, traceparent } = message;
  const envelope = { id, ...(traceparent === undefined ? {} : { traceparent }) };
  if (isMessage(message, StampRequested)) return { ...envelope, type: 'StampRequested', data: message.data };
  if (isMessage(message, StampRequestJoined)) return { ...envelope, type: 'StampRequestJoined', data: message.data };
  if (isMessage(message, StampConfirmed)) return { ...envelope, type: 'StampConfirmed', data: message.data };
  if (isMessage(message, StampConfirmedV2)) {
    const data = { ...message.data, requestId: message.requestId ?? null, clientRef: null };
    return { ...envelope, type: 'StampConfirmed', data };
  }
  if (isMessage(message, StampReverted) || isMessage(message, StampRevertedV2))
    return { ...envelope, type: 'StampReverted', data: message.data };
  if (isMessage(message, StampFailed) || isMessage(message, StampFailedV1))
    return { ...envelope, type: 'StampFailed', data: message.data };
  if (isMessage(message, StampRequestRefused)) return { ...envelope, type: 'StampRequestRefused', data: message.data };
  throw new PermanentError(`${message.type}.v${message.version} is not handled here`);
}

/** HTTP request ids of confirmed stamps, by stamp; for logs and messages. */
export const requestIdsOf = (batch: readonly IncomingMessage[]): ReadonlyMap<string, string> =>
  new Map(
    batch.flatMap((message) =>
      isConfirmed(message) && message.requestId !== undefined
        ? [[message.data.stampId, message.requestId] as const]
        : [],
    ),
  );

/** Confirmation times, by stamp. */
export const confirmationTimesOf = (batch: readonly IncomingMessage[]): ReadonlyMap<string, string> =>
  new Map(batch.flatMap((message) => (isConfirmed(message) ? [[message.data.stampId, message.time] as const] : [])));

const isConfirmed = (
  message: IncomingMessage,
): message is IncomingMessage<typeof StampConfirmed> | IncomingMessage<typeof StampConfirmedV2> =>
  isMessage(message, StampConfirmed) || isMessage(message, StampConfirmedV2);
