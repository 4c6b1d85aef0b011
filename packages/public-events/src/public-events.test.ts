import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { cloudEventOf, kafkaRecordOf, type LoggedEvent, topicKeyOf } from './cloud-event.ts';
import { eventIdOf } from './event-id.ts';
import { publicSchemas } from './json-schemas.ts';
import { sampleStamp } from './samples.ts';
import { StampConfirmed } from './types/stamp-confirmed.ts';
import { StampFinalized } from './types/stamp-finalized.ts';
import { StampSubmitted } from './types/stamp-submitted.ts';
import { describedEventTypes } from './types.ts';

const origin = { source: 'indelible', publicUrl: 'https://api.example.com' };
const account = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const event: LoggedEvent = {
  id: eventIdOf(StampSubmitted, 'batch', sampleStamp.stamp_id),
  name: 'stamp.submitted',
  version: 1,
  subject: sampleStamp.stamp_id,
  time: '2026-11-21T04:10:08.123Z',
  sequence: 7,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  data: sampleStamp,
};

describe('the schema of each type of event', () => {
  it.each(publicSchemas.map((each) => [each.subject, each] as const))(
    '%s has a title, a description, and examples that fit',
    (_, { schema }) => {
      const fits = new Ajv({ strict: true, allErrors: true }).compile(schema);
      const { title, description, examples } = schema as Record<string, unknown>;
      expect([typeof title, typeof description]).toEqual(['string', 'string']);
      expect((examples as unknown[]).map((example) => [fits(example), fits.errors])).toEqual([[true, null]]);
    },
  );

  it('describes each field', () => {
    const fieldsOf = (schema: unknown): [string, { description?: string }][] => {
      const { properties } = schema as { properties?: Record<string, object> };
      return Object.entries(properties ?? {}).flatMap(([name, field]) => [[name, field], ...fieldsOf(field)]);
    };
    const bare = describedEventTypes.flatMap(({ name, schema }) =>
      fieldsOf(schema).flatMap(([field, { description }]) => (description ? [] : [`${name} ${field}`])),
    );
    expect(bare).toEqual([]);
  });
});

describe('an event', () => {
  it('is a Kafka record in binary mode: attributes in headers, the data as plain JSON', () => {
    expect(kafkaRecordOf(account, event, origin)).toEqual({
      key: `${account}/${sampleStamp.set_cid}`,
      value: JSON.stringify(sampleStamp),
      headers: {
        'content-type': 'application/json',
        ce_specversion: '1.0',
        ce_id: event.id,
        ce_source: 'indelible',
        ce_type: 'com.indelible.stamp.submitted.v1',
        ce_subject: sampleStamp.stamp_id,
        ce_time: '2026-11-21T04:10:08.123Z',
        ce_dataschema: 'https://api.example.com/schemas/stamp.submitted.v1.json',
        ce_sequence: '7',
        ce_sequencetype: 'Integer',
        traceparent: event.traceparent,
      },
    });
  });

  it('has the same attributes and data in the JSON format', () => {
    const { headers } = kafkaRecordOf(account, event, origin);
    const { data, ...attributes } = cloudEventOf(event, origin);
    expect(data).toBe(event.data);
    for (const [name, value] of Object.entries(headers).filter(([name]) => name.startsWith('ce_')))
      expect(attributes).toHaveProperty(name.slice(3), value);
  });

  it('has a key in lower case: the account, and its collection where there is one', () => {
    expect(topicKeyOf('0xAB', '0xCD')).toBe('0xab/0xcd');
    expect(topicKeyOf('0xAB', '')).toBe('0xab');
  });

  it('has an id that follows from its fact alone', () => {
    expect(eventIdOf(StampConfirmed, 'a', 'b')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    expect(eventIdOf(StampConfirmed, 'a', 'b')).toBe(eventIdOf(StampConfirmed, 'a', 'b'));
    const others = [
      eventIdOf(StampFinalized, 'a', 'b'),
      eventIdOf(StampConfirmed, 'b', 'a'),
      eventIdOf({ ...StampConfirmed, version: 2 }, 'a', 'b'),
    ];
    expect(others).not.toContain(eventIdOf(StampConfirmed, 'a', 'b'));
  });
});
