import type { Hex } from '@indelible/identifiers';
import { ceTypeOf, type EventName, schemaFileOf } from './public-event.ts';

/** An event as stored in the log, without what the configuration gives. */
export type LoggedEvent = {
  readonly id: string;
  readonly name: EventName;
  readonly version: number;
  /** The stamp's id, the collection's CID, or the account's address. */
  readonly subject: string;
  /** ISO 8601. */
  readonly time: string;
  /** In its collection, from 1, without gaps. */
  readonly sequence: number;
  readonly traceparent?: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** An installation's identity. */
export type EventOrigin = {
  /** `ce_source`. */
  readonly source: string;
  /** Of the REST API, where schemas are served; without a slash at its end. */
  readonly publicUrl: string;
};

/** The CloudEvents attributes of an event, which all of its forms carry. */
const attributesOf = (event: LoggedEvent, origin: EventOrigin) => ({
  specversion: '1.0',
  id: event.id,
  source: origin.source,
  type: ceTypeOf(event),
  subject: event.subject,
  time: event.time,
  dataschema: `${origin.publicUrl}/schemas/${schemaFileOf(event)}`,
  sequence: String(event.sequence),
  sequencetype: 'Integer',
});

/** In CloudEvents' JSON format. */
export const cloudEventOf = (event: LoggedEvent, origin: EventOrigin) => ({
  ...attributesOf(event, origin),
  ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
  datacontenttype: 'application/json',
  data: event.data,
});
export type CloudEvent = ReturnType<typeof cloudEventOf>;

/** CID of the collection in which the event counts; '' for an event of the account itself. */
export const setOf = ({ data }: Pick<LoggedEvent, 'data'>): Hex | '' => {
  const { set_cid: cid } = data;
  return typeof cid === 'string' ? (cid as Hex) : '';
};

/** The key of the public topic: events of one account and collection are in one partition, in order. */
export const topicKeyOf = (account: Hex, set: Hex | ''): string =>
  (set === '' ? account : `${account}/${set}`).toLowerCase();

/** By the Kafka protocol binding of CloudEvents, in binary mode: attributes are headers, the value is the data. */
export function kafkaRecordOf(account: Hex, event: LoggedEvent, origin: EventOrigin) {
  const attributes = attributesOf(event, origin);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ce_specversion: attributes.specversion,
    ce_id: attributes.id,
    ce_source: attributes.source,
    ce_type: attributes.type,
    ce_subject: attributes.subject,
    ce_time: attributes.time,
    ce_dataschema: attributes.dataschema,
    ce_sequence: attributes.sequence,
    ce_sequencetype: attributes.sequencetype,
  };
  if (event.traceparent !== undefined) headers.traceparent = event.traceparent;
  return { key: topicKeyOf(account, setOf(event)), value: JSON.stringify(event.data), headers };
}
