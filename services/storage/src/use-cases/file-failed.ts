import { type NewEvent, newEvent } from '@indelible/event-store';
import { newId } from '@indelible/identifiers';
import type { AddressedReply } from '@indelible/messages';
import { FileFailed } from '@indelible/messages';
import { fileFault } from '../decisions/file-fault.ts';
import type { FailedFile } from '../tables/files.ts';

/** The event of content that can never be stored; each failure is its own stream, since later content may fail too. */
export const fileFailed = ({ traceparent, ...file }: FailedFile, failedAt: Date): NewEvent =>
  newEvent(
    FileFailed,
    // As in FileStored: an upload is not the stamp's request, and has no reference.
    {
      ...file,
      clientRef: file.came === 'later' ? null : file.clientRef,
      reason: fileFault,
      failedAt: failedAt.toISOString(),
    },
    {
      stream: `file-failed-${newId()}`,
      version: 1,
      requestId: file.requestId ?? file.stampId,
      ...(traceparent === null ? {} : { traceparent }),
    },
  );

export const failedReplyOf = ({ stampId, replyTo }: FailedFile): AddressedReply[] =>
  replyTo === null ? [] : [{ replyTo, reply: { kind: 'not-stored', requestId: stampId, stampId } }];
