import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { RequestStamp, RequestStampV2 } from '@indelible/messages';

/** Commands are kept for two weeks, so those of the former version are handled as well. */
export const stampRequests = [RequestStamp, RequestStampV2];

/** The request that a message is, if it is one; one of the former version has no reference. */
export function stampRequestOf(message: IncomingMessage): IncomingMessage<typeof RequestStamp>[] {
  if (isMessage(message, RequestStamp)) return [message];
  if (!isMessage(message, RequestStampV2)) return [];
  return [{ ...message, contract: RequestStamp, data: { ...message.data, clientRef: null } }];
}
