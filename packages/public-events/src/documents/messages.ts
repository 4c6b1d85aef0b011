import { cloudEventOf, type EventOrigin, kafkaRecordOf } from '../cloud-event.ts';
import { ceTypeOf, type PublicEventType } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';
import { isLogged } from '../types.ts';
import { webhooksOnly } from './channel-texts.ts';
import { sampleEventOf } from './sample-event.ts';

/** Names of AsyncAPI's components: a type with its version, as it is on the topic, and as JSON in the other two. */
export const binaryNameOf = ({ name, version }: PublicEventType): string => `${name}.v${version}`;
export const structuredNameOf = (type: PublicEventType): string => `${binaryNameOf(type)}.json`;

export const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more });

/** The CloudEvents attributes of every event, with the prefix of their names. */
const attributes = (prefix: '' | 'ce_') => ({
  [`${prefix}specversion`]: text('The version of CloudEvents', { const: '1.0' }),
  [`${prefix}id`]: text('A UUID that follows from the fact: the same however often the event is sent, or sent again'),
  [`${prefix}source`]: text('The installation that the event is from'),
  [`${prefix}type`]: text('The type with its version'),
  [`${prefix}subject`]: text("The stamp's id, the collection CID, or the account's address"),
  [`${prefix}time`]: text('When the fact was recorded by the service, in UTC with milliseconds', {
    format: 'date-time',
  }),
  [`${prefix}dataschema`]: text('Where the JSON Schema of `data` is served', { format: 'uri' }),
  [`${prefix}sequence`]: text('The number of the event in its collection, from 1 without gaps, in decimal digits'),
  [`${prefix}sequencetype`]: text('How to read the sequence', { const: 'Integer' }),
});

const traceparent = text('The W3C trace context of the request that caused it, where there was one');

/** In binary mode: headers of a record, and its key. */
export const kafkaTrait = {
  contentType: 'application/json',
  headers: {
    type: 'object',
    required: ['content-type', ...Object.keys(attributes('ce_'))],
    properties: {
      'content-type': text('Of the value', { const: 'application/json' }),
      ...attributes('ce_'),
      traceparent,
    },
  },
  bindings: {
    kafka: {
      key: {
        type: 'string',
        description: "The account's address, and after a slash the collection CID where there is one; lower case",
        examples: [`${sampleStamp.user_address.toLowerCase()}/${sampleStamp.set_cid}`],
      },
      bindingVersion: '0.5.0',
    },
  },
};

/** In JSON format, without `data`. */
export const envelopeSchema = {
  type: 'object',
  required: [...Object.keys(attributes('')), 'datacontenttype', 'data'],
  properties: {
    ...attributes(''),
    traceparent,
    datacontenttype: text('Of `data`', { const: 'application/json' }),
    data: { type: 'object' },
  },
};

/** A record of the topic: the value is `data` alone. */
export function binaryMessageOf(type: PublicEventType, origin: EventOrigin) {
  const { headers } = kafkaRecordOf(sampleStamp.user_address as `0x${string}`, sampleEventOf(type), origin);
  return {
    name: ceTypeOf(type),
    title: type.schema.title,
    summary: type.schema.description,
    traits: [reference('messageTraits', 'cloudEventInBinaryMode')],
    payload: reference('schemas', binaryNameOf(type)),
    examples: [{ headers, payload: sampleEventOf(type).data }],
  };
}

/** A message of the stream, or the body of a webhook. */
export const structuredMessageOf = (type: PublicEventType, origin: EventOrigin) => ({
  name: ceTypeOf(type),
  title: type.schema.title,
  summary: type.schema.description,
  ...(isLogged(type) ? {} : { description: webhooksOnly }),
  contentType: 'application/json',
  payload: {
    allOf: [
      reference('schemas', 'cloudEvent'),
      {
        type: 'object',
        properties: { type: { const: ceTypeOf(type) }, data: reference('schemas', binaryNameOf(type)) },
      },
    ],
  },
  examples: [{ payload: cloudEventOf(sampleEventOf(type), origin) }],
});
