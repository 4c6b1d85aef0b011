import {
  MessageInvalidError,
  type OutgoingMessage,
  type Publisher,
  PublisherBusyError,
  RecordsRefusedError,
} from '@indelible/kafka';
import type { ReceivedContent } from '../stamping/content.ts';

/** Whether a command was published. Set by {@link submit} alone. */
export type Submission = {
  /** Staged content that the command names. Its receiver always discards it, which has no effect once it is named. */
  readonly content?: ReceivedContent | undefined;
  /** True from the attempt to publish, unless certainly nothing was written. */
  mayBePublished: boolean;
};

/** Publishes a command, or several of one kind. @throws as the publisher; only storage may remove their content then, unless nothing was written (I7) */
export async function submit(
  publisher: Pick<Publisher, 'publish'>,
  submission: Submission,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  mark(submission, true);
  try {
    await publisher.publish(messages);
  } catch (error) {
    if (sentNothing(error)) mark(submission, false);
    throw error;
  }
}

function mark(submission: Submission, mayBePublished: boolean): void {
  submission.mayBePublished = mayBePublished;
  if (submission.content !== undefined) submission.content.isNamed = mayBePublished;
}

/** Whether the publisher refused the messages before it sent any. After any other error they may have been written. */
const sentNothing = (error: unknown): boolean =>
  error instanceof PublisherBusyError ||
  (error instanceof MessageInvalidError && !(error instanceof RecordsRefusedError));
