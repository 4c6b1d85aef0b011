import { isError } from '@indelible/service-runtime';

/**
 * The brokers or the registry did not respond in time. Messages may have been written: resend them with the same ids.
 */
export class BrokerUnavailableError extends Error {
  readonly retryable = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokerUnavailableError';
  }
}

/** The publisher's queue is full. Nothing of this call was sent. */
export class PublisherBusyError extends Error {
  readonly retryable = true;

  constructor(queued: number) {
    super(`The publisher is busy: ${queued} messages wait`);
    this.name = 'PublisherBusyError';
  }
}

/** A message that does not fit its contract: publishing it again cannot succeed. Nothing of the call was sent. */
export class MessageInvalidError extends Error {
  readonly retryable = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MessageInvalidError';
  }
}

/** The broker refuses records for their size or form. Others of the same call may have been written. */
export class RecordsRefusedError extends MessageInvalidError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RecordsRefusedError';
  }
}

/** A topic has lost its first messages: nothing can be rebuilt from them. */
export class TopicCutError extends Error {
  readonly retryable = false;

  constructor(topic: string) {
    super(`${topic} has lost its first messages`);
    this.name = 'TopicCutError';
  }
}

/** Groups have members, whose services must be stopped first. */
export class GroupsRunningError extends Error {
  readonly retryable = true;
  readonly groups: readonly string[];

  constructor(groups: readonly string[]) {
    super(`Stop all services first: the consumer groups ${groups.join(', ')} have members`);
    this.name = 'GroupsRunningError';
    this.groups = groups;
  }
}

/** What was thrown, as an error. */
export const toError = (thrown: unknown): Error => (isError(thrown) ? thrown : new Error(String(thrown)));
