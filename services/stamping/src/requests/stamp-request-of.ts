import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { RequestStamp, RequestStampV2 } from '@indelible/messages';

/** Commands are kept for two weeks, so the previous version is handled as well. */
export const stampRequests = [RequestStamp, RequestStampV2];

/** The request in a message, if it is one; the previous version has no reference. */
export function stampRequestOf(message: IncomingMessage): IncomingMessage<typeof RequestStamp>[] {
  if (isMessage(message, RequestStamp)) return [message];
  if (!isMessage(message, RequestStampV2)) return [];
  return [{ ...message, contract: RequestStamp, data: { ...message.data, clientRef: null } }];
}
