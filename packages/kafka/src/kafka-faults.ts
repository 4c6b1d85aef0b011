import { isError } from '@indelible/service-runtime';
import { toError } from './errors.ts';

/** kafkajs wraps errors in one another; the innermost says what happened. */
export const rootOf = (thrown: unknown): Error => {
  let error = toError(thrown);
  while (isError(error.cause)) error = error.cause;
  return error;
};

const typeOf = (error: Error): string | undefined =>
  'type' in error && typeof error.type === 'string' ? error.type : undefined;

const isRetriable = (error: Error): boolean => 'retriable' in error && error.retriable === true;

const tooLarge: ReadonlySet<string | undefined> = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
]);

/** The broker will never accept these records. */
export const isRefusedForGood = (thrown: unknown): boolean => tooLarge.has(typeOf(rootOf(thrown)));

const membershipFaults: ReadonlySet<string | undefined> = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/** The group continues without this member until it has joined again. */
export const isMembershipFault = (thrown: unknown): boolean => membershipFaults.has(typeOf(rootOf(thrown)));

const transientNames: ReadonlySet<string> = new Set([
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
  'BrokerUnavailableError',
]);

/**
 * Whether the same may succeed later. Other faults (no right to the topic, wrong password, unknown protocol, a bug) do
 * not pass by waiting.
 */
export const isTransient = (thrown: unknown): boolean => {
  const root = rootOf(thrown);
  return (
    isRetriable(root) ||
    isMembershipFault(root) ||
    transientNames.has(root.name) ||
    toError(thrown).name === 'KafkaJSNumberOfRetriesExceeded'
  );
};
