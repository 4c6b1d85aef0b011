import {
  type DataOf,
  groupIntoRecords,
  packInColumns,
  RequestStampV2,
  type StagedContent,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
} from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { contractId, createDecoder, createEncoder, type IncomingRecord, recordOfOne } from './codec.ts';
import { MessageInvalidError } from './errors.ts';
import { type IncomingMessage, isMessage, type OutgoingMessage, outgoing } from './message.ts';
import { createTopicNames } from './topic-names.ts';

const topicNames = createTopicNames('t1.');
const stampId = '00000000-0000-4000-8000-000000000001';
const envelope = { id: '00000000-0000-4000-8000-000000000002', time: '2030-01-01T00:00:00.000Z' };
const failed: DataOf<typeof StampFailedV1> = { stampId, refusal: { code: 'chain', message: 'Schönes Wetter' } };

const encoder = createEncoder({
  contracts: [StampFailedV1, RequestStampV2, StampRequested, StampRequestJoined],
  schemaIds: new Map([
    [contractId(StampRequested), 8],
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
    groupIntoRecords(messages.map(encoder.encode), ({ json }) => json.length).map((group, i) => ({
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

  const requested = (n: number, content: StagedContent | null = null): OutgoingMessage<typeof StampRequested> => {
    const [account, cid] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(32)}`] as const;
    const identity = { stampId: uuid(100 * n), account, setCid: cid, objectCid: cid, collectionName: null };
    return outgoing(
      StampRequested,
      { ...identity, content, replyTo: null, requestedAt: envelope.time },
      { id: uuid(n), time: envelope.time },
    );
  };
  const cat: StagedContent = {
    ...{ stagedId: uuid(9), objectCid: `0x${'bb'.repeat(32)}`, size: 3, crc32c: 1, fileName: 'cat.jpg' },
  };

  it('puts messages with content and without into records of their own, which say so, in the order of their key', () => {
    const records = packed(requested(1), requested(2), requested(3, cat), requested(4));
    const all = createDecoder({ contracts: [StampRequested], topicNames });
    expect(records.map((record) => [record.headers.ce_indeliblelabel, ...all(record).map(({ id }) => id)])).toEqual([
      ['no-content', uuid(1), uuid(2)],
      [undefined, uuid(3)],
      ['no-content', uuid(4)],
    ]);
  });

  it('skips a label unread when it is to, and reads a record without a label, whatever is in it', () => {
    const skipping = createDecoder({ contracts: [StampRequested], topicNames, skips: ['no-content'] });
    const [record] = packed(requested(1));
    expect(skipping({ ...record!, value: Buffer.from('unreadable') })).toEqual([]);
    const buffers = { ...record!.headers, ce_indeliblelabel: Buffer.from('no-content') };
    expect(skipping({ ...record!, headers: buffers })).toEqual([]);
    const { ce_indeliblelabel: _, ...former } = record!.headers;
    expect(skipping({ ...record!, headers: former }).map(({ id }) => id)).toEqual([uuid(1)]);
    expect(skipping(packed(requested(3, cat))[0]!).map(({ id }) => id)).toEqual([uuid(3)]);
  });

  it('keeps the label of what is set aside out of a pack', () => {
    const [record] = packed(requested(1), requested(2));
    const all = createDecoder({ contracts: [StampRequested], topicNames });
    expect(recordOfOne(record!, all(record!)[1]!).headers.ce_indeliblelabel).toBe('no-content');
  });

  const recorded = (...messages: OutgoingMessage[]): IncomingRecord => {
    const body = Buffer.from(packInColumns(messages.map(({ contract: _, ...item }) => item)));
    const [{ id, time } = envelope] = messages;
    const pack = { key: '3', label: 'no-content', messages: messages.length, body } as const;
    return {
      ...encoder.recordOf([encoder.encodePack({ contract: StampRequested, id, time, pack })]),
      partition: 3,
      offset: '17',
    };
  };

  it('passes on a record that was made when its messages were recorded, and reads from it the same messages', () => {
    const traced = { ...requested(2), requestId: uuid(7), traceparent: 't' };
    const record = recorded(requested(1), traced);
    expect(record).toMatchObject({ topic: 't1.events.stamps', key: '3' });
    expect(record.headers).toMatchObject({
      ...{ 'content-type': 'application/vnd.indelible.columns+json', ce_id: uuid(1), ce_type: 'StampRequested' },
      ...{ ce_indelibleversion: '2', ce_indeliblelabel: 'no-content' },
    });
    expect([...record.value!.subarray(0, 5)]).toEqual([0, 0, 0, 0, 8]);
    const all = createDecoder({ contracts: [StampRequested], topicNames });
    const [former] = packed(requested(1), traced);
    const withoutPlace = ({ key: _, offset: __, packId: ___, ...message }: IncomingMessage) => message;
    expect(all(record).map(withoutPlace)).toEqual(all(former!).map(withoutPlace));
    expect(all(record).map(({ packId }) => packId)).toEqual([uuid(1), uuid(1)]);
    const skipping = createDecoder({ contracts: [StampRequested], topicNames, skips: ['no-content'] });
    expect(skipping({ ...record, value: Buffer.from('unreadable') })).toEqual([]);
  });

  it('joins no other message to such a record, and keeps the order of its key', () => {
    const pack = { key: StampRequested.key(requested(1).data), label: 'no-content', messages: 1 } as const;
    const body = Buffer.from(packInColumns([requested(2)]));
    const made = encoder.encodePack({ contract: StampRequested, ...envelope, pack: { ...pack, body } });
    const groups = groupIntoRecords(
      [encoder.encode(requested(1)), made, encoder.encode(requested(3)), encoder.encode(requested(4))],
      ({ json }) => json.length,
    );
    expect(groups.map((group) => group.map(({ envelope }) => envelope.id))).toEqual([
      [uuid(1)],
      [envelope.id],
      [uuid(3), uuid(4)],
    ]);
  });

  it('makes a record of one message of it, which names the record that it was in', () => {
    const record = recorded(requested(1), requested(2));
    const all = createDecoder({ contracts: [StampRequested], topicNames });
    const second = all(record)[1]!;
    const alone = recordOfOne(record, second);
    expect(alone.headers).toMatchObject({
      'content-type': 'application/vnd.indelible.pack+json',
      ce_id: uuid(2),
    });
    expect(all(alone)).toEqual([second]);
    expect(second.packId).toBe(uuid(1));
  });

  it.each([
    ['no columns', '[]', 'does not say how many messages'],
    [
      'more messages than a record holds',
      '{"messages":1000000000,"of":{"data":{"same":{}}}}',
      'more than a record holds',
    ],
    [
      'more columns than a reader takes',
      `{"messages":500,"of":{"data":{"of":{${Array.from({ length: 50_000 }, (_, n) => `"${n}":{"same":0}`)}}}}}`,
      'too many columns',
    ],
    [
      'columns in columns without end',
      `{"messages":1,"of":${'{"a":{"of":'.repeat(50_000)}{}${'}}'.repeat(50_000)}}`,
      'too many columns',
    ],
    [
      'an id that is no UUID',
      '{"messages":1,"of":{"id":{"same":"i"},"time":{"same":"t"},"data":{"same":{}}}}',
      'no id',
    ],
    [
      'data that does not fit',
      `{"messages":1,"of":{"id":{"same":"${uuid(1)}"},"time":{"same":"t"},"data":{"same":{}}}}`,
      'does not fit',
    ],
  ])('calls columns with %s undecodable', (_, body, fault) => {
    const record = recorded(requested(1));
    const value = Buffer.concat([record.value!.subarray(0, 5), Buffer.from(body)]);
    const all = createDecoder({ contracts: [StampRequested], topicNames });
    expect(() => all({ ...record, value })).toThrow(MessageInvalidError);
    expect(() => all({ ...record, value })).toThrow(fault);
  });

  it('bounds a record', () => {
    const records = packed(...Array.from({ length: 1_200 }, (_, n) => joined(n)));
    expect(records.map((record) => decodeAll(record).length)).toEqual([500, 500, 200]);
  });

  it('makes a record of one message of a pack, for the invalid one alone', () => {
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
