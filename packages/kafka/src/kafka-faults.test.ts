import { describe, expect, it } from '@jest/globals';
import { BrokerUnavailableError } from './errors.ts';
import { isMembershipFault, isRefusedForGood, isTransient } from './kafka-faults.ts';

/** An error as kafkajs makes it. */
const fault = (name: string, facts: object = {}) => Object.assign(new Error(name), { name, ...facts });

describe('a fault of Kafka', () => {
  it.each([
    ['a closed connection', fault('KafkaJSConnectionClosedError', { retriable: true })],
    ['a request that timed out', fault('KafkaJSRequestTimeoutError', { retriable: true })],
    ['retries used up', fault('KafkaJSNumberOfRetriesExceeded', { retriable: false })],
    ['a coordinator not found', fault('KafkaJSGroupCoordinatorNotFound', { retriable: false })],
    [
      'a member that is no longer known',
      fault('KafkaJSProtocolError', { retriable: false, type: 'UNKNOWN_MEMBER_ID' }),
    ],
    ['a server that is late', new BrokerUnavailableError('late')],
    ['one of these as the cause', fault('Wrapped', { cause: fault('KafkaJSConnectionError', { retriable: true }) })],
  ])('that may pass is waited for: %s', (_, error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    ['a wrong password', fault('KafkaJSSASLAuthenticationError', { retriable: false })],
    ['no right to the topic', fault('KafkaJSProtocolError', { retriable: false, type: 'TOPIC_AUTHORIZATION_FAILED' })],
    ['a fault of the code', new TypeError('undefined is not a function')],
  ])('that does not pass by waiting is fatal: %s', (_, error) => {
    expect(isTransient(error)).toBe(false);
  });

  it('of the membership is distinguished from others', () => {
    expect(isMembershipFault(fault('KafkaJSProtocolError', { type: 'REBALANCE_IN_PROGRESS' }))).toBe(true);
    expect(isMembershipFault(fault('KafkaJSConnectionError', { retriable: true }))).toBe(false);
  });

  it('of a record that is too large is for good', () => {
    expect(isRefusedForGood(fault('KafkaJSProtocolError', { type: 'MESSAGE_TOO_LARGE' }))).toBe(true);
    expect(isRefusedForGood(fault('KafkaJSProtocolError', { type: 'OUT_OF_ORDER_SEQUENCE_NUMBER' }))).toBe(false);
  });
});
