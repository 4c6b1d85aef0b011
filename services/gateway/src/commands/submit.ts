import { MessageInvalidError, type OutgoingMessage, type Publisher, PublisherBusyError } from '@indelible/kafka';
import type { ReceivedContent } from '../stamping/content.ts';

/** What has become of the publishing of a command. Set by {@link submit} alone. */
export type Submission = {
  /** Staged content that the command names; whoever received it discards it in any case, which does nothing once it is named. */
  readonly content?: ReceivedContent | undefined;
  /** From the attempt to publish on, unless it is certain that nothing was written. */
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
    if (wroteNothing(error, messages.length)) mark(submission, false);
    throw error;
  }
}

function mark(submission: Submission, mayBePublished: boolean): void {
  submission.mayBePublished = mayBePublished;
  if (submission.content !== undefined) submission.content.isNamed = mayBePublished;
}

/** Of any other fault the messages may have been written; and where one of several is invalid, the others. */
const wroteNothing = (error: unknown, messages: number): boolean =>
  error instanceof PublisherBusyError || (error instanceof MessageInvalidError && messages === 1);
