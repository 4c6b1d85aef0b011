import type { Headers } from './cloud-event.ts';
import { headerText } from './cloud-event.ts';
import type { IncomingRecord, OutgoingRecord } from './codec.ts';
import { MessageInvalidError } from './errors.ts';

const prefix = 'x-dead-letter-';
/** The error text is for operators, not for storage. */
const maxTextLength = 500;

const text = (value: string) => value.slice(0, maxTextLength);

export type Fault = {
  readonly groupId: string;
  readonly error: Error;
  readonly attempts: number;
  readonly time: string;
};

/** The original record, with its origin and the fault in additional headers. */
export const toDeadLetter = (record: IncomingRecord, deadLetterTopic: string, fault: Fault): OutgoingRecord => ({
  topic: deadLetterTopic,
  key: record.key,
  value: record.value,
  headers: {
    ...record.headers,
    [`${prefix}topic`]: record.topic,
    [`${prefix}partition`]: String(record.partition),
    [`${prefix}offset`]: record.offset,
    [`${prefix}group`]: fault.groupId,
    [`${prefix}error-name`]: text(fault.error.name),
    [`${prefix}error-message`]: text(fault.error.message),
    [`${prefix}attempts`]: String(fault.attempts),
    [`${prefix}time`]: fault.time,
  },
});

/** The letter of a record whose value is too large to be written with its reason. */
export const withoutValue = (letter: OutgoingRecord): OutgoingRecord => ({
  ...letter,
  value: null,
  headers: { ...letter.headers, [`${prefix}value`]: 'left out: too large' },
});

/** Whether a header is the message's own. */
export const isEnvelopeHeader = (name: string): boolean => !name.startsWith(prefix);

/** Who could not handle it, and why. */
export const reasonOf = (headers: Headers) => {
  const text = (name: string) => headerText(headers, `${prefix}${name}`);
  const found = {
    group: text('group'),
    errorName: text('error-name'),
    errorMessage: text('error-message'),
    time: text('time'),
    attempts: text('attempts'),
  };
  const { attempts, ...reason } = found;
  return {
    ...(Object.fromEntries(Object.entries(reason).filter(([, value]) => value !== undefined)) as Partial<
      Record<keyof typeof reason, string>
    >),
    ...(attempts === undefined ? {} : { attempts: Number(attempts) }),
  };
};

/** The record before it was set aside. @throws MessageInvalidError if not a dead letter of the topic. */
export const fromDeadLetter = (letter: IncomingRecord, topic: string): OutgoingRecord => {
  if (headerText(letter.headers, `${prefix}topic`) !== topic) {
    throw new MessageInvalidError('The record is not a dead letter of this topic');
  }
  const headers: Headers = Object.fromEntries(
    Object.entries(letter.headers).filter(([name]) => isEnvelopeHeader(name)),
  );
  return { topic, key: letter.key, value: letter.value, headers };
};
