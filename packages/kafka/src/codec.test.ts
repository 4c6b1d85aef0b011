import { type DataOf, RequestStampV2, StampFailedV1, StampRequestJoined } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { contractId, createDecoder, createEncoder, type IncomingRecord, recordOfOne } from './codec.ts';
import { MessageInvalidError } from './errors.ts';
import { isMessage, type OutgoingMessage, outgoing } from './message.ts';
import { groupIntoRecords } from './pack.ts';
import { createTopicNames } from './topic-names.ts';

const topicNames = createTopicNames('t1.');
const stampId = '00000000-0000-4000-8000-000000000001';
const envelope = { id: '00000000-0000-4000-8000-000000000002', time: '2030-01-01T00:00:00.000Z' };
const failed: DataOf<typeof StampFailedV1> = { stampId, refusal: { code: 'chain', message: 'Schönes Wetter' } };

const encoder = createEncoder({
  contracts: [StampFailedV1, RequestStampV2, StampRequestJoined],
  schemaIds: new Map([
    [contractId(StampFailedV1), 258],
    [contractId(StampRequestJoined), 7],
  ]),
  source: 'indelible/stamping',
  topicNames,
});
const encode = (message: OutgoingMessage) => encoder.recordOf([encoder.encode(message)]);
const unknown: string[] = [];
const decodeAll = createDecoder({
  contracts: [StampFailedV1, StampRequestJoined],
  topicNames,
  onUnknown: (topic) => unknown.push(topic),
});
const decode = (record: IncomingRecord) => decodeAll(record)[0];

const encoded = (overrides: Partial<IncomingRecord> = {}): IncomingRecord => ({
  ...encode(outgoing(StampFailedV1, failed, { ...envelope, requestId: 'r1', traceparent: '00-a-b-01' })),
  partition: 3,
  offset: '17',
  ...overrides,
});

describe('the codec', () => {
  it('writes the wire format: a zero byte, the schema id in four bytes, JSON', () => {
    const { value, topic, key } = encode(outgoing(StampFailedV1, failed, envelope));
    expect([...value!.subarray(0, 5)]).toEqual([0, 0, 0, 1, 2]);
    expect(JSON.parse(value!.subarray(5).toString())).toEqual(failed);
    expect(topic).toBe('t1.events.stamps');
    expect(key).toBe(StampFailedV1.key(failed));
  });

  it('writes the attributes of a CloudEvents 1.0 event in binary mode', () => {
    expect(encoded().headers).toEqual({
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: envelope.id,
      ce_type: 'StampFailed',
      ce_source: 'indelible/stamping',
      ce_time: envelope.time,
      ce_indelibleversion: '1',
      ce_requestid: 'r1',
      traceparent: '00-a-b-01',
    });
  });

  it('reads what it wrote, with headers as buffers as they come from a broker', () => {
    const record = encoded();
    const headers = Object.fromEntries(Object.entries(record.headers).map(([k, v]) => [k, Buffer.from(String(v))]));
    const message = decode({ ...record, headers, key: Buffer.from(stampId) })!;
    expect(message).toMatchObject({
      id: envelope.id,
      type: 'StampFailed',
      version: 1,
      source: 'indelible/stamping',
      time: envelope.time,
      requestId: 'r1',
      traceparent: '00-a-b-01',
      key: stampId,
      topic: 'events.stamps',
      partition: 3,
      offset: '17',
    });
    expect(isMessage(message, StampFailedV1) && message.data.refusal.code).toBe('chain');
    expect(isMessage(message, RequestStampV2)).toBe(false);
  });

  it('lets a key be given in place of the contract’s', () => {
    expect(encode(outgoing(StampFailedV1, failed, { ...envelope, key: 'k' })).key).toBe('k');
  });

  it('reads fields of a newer writer’s schema without complaint', () => {
    const newer = Buffer.concat([Buffer.from([0, 0, 0, 9, 9]), Buffer.from(JSON.stringify({ ...failed, added: 1 }))]);
    expect(decode(encoded({ value: newer }))?.data).toEqual({ ...failed, added: 1 });
  });

  it('refuses for good to write data that does not fit, naming the place and not the value (I10)', () => {
    const secret = { stampId: 'secret', refusal: failed.refusal };
    const attempt = () => encode(outgoing(StampFailedV1, secret, envelope));
    expect(attempt).toThrow(MessageInvalidError);
    expect(attempt).toThrow('StampFailed.v1 does not fit its schema: /stampId pattern');
  });

  it('refuses for good to write a contract whose schema id it does not know', () => {
    const other = outgoing(RequestStampV2, {} as DataOf<typeof RequestStampV2>, envelope);
    expect(() => encode(other)).toThrow("RequestStamp.v2 is not among the publisher's contracts");
  });

  const idInUpperCase = 'ABCDEF00-0000-4000-8000-000000000000';

  it.each([
    ['no body', { value: null }, 'The body is not in the wire format'],
    ['another magic byte', { value: Buffer.from('{"a":1}xx') }, 'The body is not in the wire format'],
    ['a body that is not JSON', { value: Buffer.from('\0\0\0\0\x01secret') }, 'The body is not JSON'],
    ['data that does not fit', { value: Buffer.from('\0\0\0\0\x01{}') }, 'does not fit its schema'],
    ['no headers', { headers: {} }, 'Header ce_specversion is missing'],
    ['another specversion', { headers: { ...encoded().headers, ce_specversion: '2.0' } }, 'is not 1.0'],
    ['a repeated id', { headers: { ...encoded().headers, ce_id: ['a', 'b'] } }, 'Header ce_id is missing'],
    ['an id that is no UUID', { headers: { ...encoded().headers, ce_id: 'secret' } }, 'ce_id is not a UUID'],
    ['an id in upper case', { headers: { ...encoded().headers, ce_id: idInUpperCase } }, 'ce_id is not a UUID'],
    ['a version that is none', { headers: { ...encoded().headers, ce_indelibleversion: 'x' } }, 'not a version'],
  ])('calls a record with %s undecodable, without quoting it (I10)', (_, change, message) => {
    expect(() => decode(encoded(change))).toThrow(MessageInvalidError);
    expect(() => decode(encoded(change))).toThrow(message);
    expect(() => decode(encoded(change))).not.toThrow(/secret/);
  });

  it('skips types of other consumers and of newer releases in a topic of events, and calls those that nobody knows', () => {
    const headers = encoded().headers;
    expect(decode(encoded({ headers: { ...headers, ce_type: 'StampsSubmitted' }, value: null }))).toBeUndefined();
    expect(unknown).toEqual([]);
    expect(decode(encoded({ headers: { ...headers, ce_type: 'Newer' }, value: null }))).toBeUndefined();
    expect(unknown).toEqual(['events.stamps']);
  });

  it('skips no version that it does not handle of a type that it does, and no command that nobody knows (I6)', () => {
    const headers = encoded().headers;
    const newer = { ...headers, ce_indelibleversion: '99' };
    expect(() => decode(encoded({ headers: newer }))).toThrow('StampFailed.v99 is a version that is not handled here');
    const command = { ...headers, ce_type: 'Newer' };
    expect(() => decode(encoded({ headers: command, topic: 't1.commands.stamps' }))).toThrow(
      'Newer.v1 is no command of commands.stamps',
    );
  });

  const joined = (n: number): OutgoingMessage<typeof StampRequestJoined> =>
    outgoing(
      StampRequestJoined,
      { requestId: uuid(n), stampId, account: `0x${'aa'.repeat(20)}`, content: null },
      { id: uuid(100 + n), time: envelope.time, requestId: `r${n}`, ...(n === 2 ? { traceparent: 't' } : {}) },
    );
  const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const packed = (...messages: OutgoingMessage[]): IncomingRecord[] =>
    groupIntoRecords(messages.map(encoder.encode)).map((group, i) => ({
      ...encoder.recordOf(group),
      partition: 3,
      offset: String(i),
    }));

  it('puts messages of one packed contract and key into one record, each with its own id and trace', () => {
    const records = packed(joined(1), joined(2), joined(3));
    expect(records).toHaveLength(1);
    expect(records[0]?.headers).toMatchObject({
      'content-type': 'application/vnd.indelible.pack+json',
      ce_id: uuid(101),
      ce_type: 'StampRequestJoined',
    });
    const messages = decodeAll(records[0]!);
    expect(messages.map(({ id, requestId, traceparent }) => [id, requestId, traceparent])).toEqual([
      [uuid(101), 'r1', undefined],
      [uuid(102), 'r2', 't'],
      [uuid(103), 'r3', undefined],
    ]);
    expect(messages.map(({ data }) => (data as DataOf<typeof StampRequestJoined>).requestId)).toEqual(
      [1, 2, 3].map(uuid),
    );
  });

  it('keeps the order of a key: what comes behind another contract of it starts a record', () => {
    const other = outgoing(StampFailedV1, failed, envelope);
    const records = packed(joined(1), other, joined(2), joined(3));
    expect(records.map((record) => decodeAll(record).map(({ id }) => id))).toEqual([
      [uuid(101)],
      [envelope.id],
      [uuid(102), uuid(103)],
    ]);
  });

  it('bounds a record', () => {
    const records = packed(...Array.from({ length: 1_200 }, (_, n) => joined(n)));
    expect(records.map((record) => decodeAll(record).length)).toEqual([500, 500, 200]);
  });

  it('makes a record of one message of a pack, for what is at fault alone', () => {
    const [record] = packed(joined(1), joined(2));
    const second = decodeAll(record!)[1]!;
    const alone = recordOfOne(record!, second);
    expect(decodeAll(alone)).toEqual([second]);
    expect(alone.headers.ce_id).toBe(uuid(102));
  });

  it.each([
    ['no list', '{}', 'not a pack'],
    ['an empty list', '[]', 'not a pack'],
    ['a message without an id', '[{"time":"t","data":{}}]', 'no id or time'],
    ['an id that is no UUID', '[{"id":"i","time":"t","data":{}}]', 'no id or time'],
    ['null', '[null]', 'no id or time'],
    ['data that does not fit', `[{"id":"${uuid(1)}","time":"t","data":{}}]`, 'does not fit its schema'],
  ])('calls a pack that holds %s undecodable', (_, body, fault) => {
    const [record] = packed(joined(1));
    const value = Buffer.concat([record!.value!.subarray(0, 5), Buffer.from(body)]);
    expect(() => decodeAll({ ...record!, value })).toThrow(fault);
  });
});
