import type { Component } from '@indelible/service-runtime';
import type { OutgoingRecord } from './codec.ts';
import { MessageInvalidError } from './errors.ts';
import type { ProducerSession } from './producer-session.ts';

/** A record for readers outside of the service: its value is plain JSON, without a schema id. */
export type PublicRecord = {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type RecordPublisher = Component & {
  start(): Promise<void>;
  /**
   * Resolves when all in-sync replicas have all of the records; the order per key is that of the records. Calls must not overlap.
   * @throws BrokerUnavailableError when that is not known: publish them again. @throws MessageInvalidError when one is too large, RecordsRefusedError when the broker refuses one.
   */
  publish(records: readonly PublicRecord[]): Promise<void>;
  stop(): Promise<void>;
  ready(): boolean;
};

/** Under the brokers' default limit of a record, with room for its headers. */
const maxValueBytes = 960 * 1024;
/** The most per request and partition: brokers refuse more than 1 MiB. */
const requestBytes = 512 * 1024;

export const createRecordPublisher = (session: ProducerSession): RecordPublisher => ({
  name: 'publisher',
  start: () => session.start(),
  async publish(records) {
    let request: OutgoingRecord[] = [];
    let bytes = 0;
    for (const { topic, key, value, headers } of records) {
      const body = Buffer.from(value);
      if (body.length > maxValueBytes) throw new MessageInvalidError('A public event is larger than a record may be');
      if (bytes + body.length > requestBytes && request.length > 0) {
        await session.send(request);
        request = [];
        bytes = 0;
      }
      request.push({ topic, key, value: body, headers });
      bytes += body.length + 512;
    }
    if (request.length > 0) await session.send(request);
  },
  stop: () => session.stop(),
  ready: () => session.ready(),
});
