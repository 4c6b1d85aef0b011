import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { KeepNonConfirmedContent, StoreUploadedContent } from '@indelible/messages';
import { PermanentError } from '@indelible/service-runtime';
import type { FileCommand } from './handle-file-commands.ts';

/** What is handled of commands.files. */
export const fileCommands = [StoreUploadedContent, KeepNonConfirmedContent];

/** @throws PermanentError for any other message */
export function fileCommandOf(message: IncomingMessage): FileCommand {
  const { id, traceparent, requestId: httpRequestId } = message;
  const envelope = { id, ...(traceparent === undefined ? {} : { traceparent }) };
  if (isMessage(message, StoreUploadedContent))
    return { type: 'store-uploaded', message: { ...envelope, data: message.data }, httpRequestId };
  if (isMessage(message, KeepNonConfirmedContent))
    return { type: 'keep-non-confirmed', message: { id, data: message.data }, httpRequestId };
  throw new PermanentError(`${message.type}.v${message.version} is not handled here`);
}
