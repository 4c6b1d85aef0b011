import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { RequestStamp, RequestStampV3 } from '@indelible/messages';

/** Commands are kept for two weeks, so those of the former version are handled as well. */
export const stampRequests = [RequestStampV3, RequestStamp];

/** The request that a message is, if it is one; one of the former version has no reference. */
export function stampRequestOf(message: IncomingMessage): IncomingMessage<typeof RequestStampV3>[] {
  if (isMessage(message, RequestStampV3)) return [message];
  if (!isMessage(message, RequestStamp)) return [];
  return [{ ...message, contract: RequestStampV3, data: { ...message.data, clientRef: null } }];
}
