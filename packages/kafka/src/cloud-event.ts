import type { RecordLabel } from '@indelible/messages';
import { MessageInvalidError } from './errors.ts';

/** Kafka headers as kafkajs gives them: a repeated header is an array. */
export type Headers = Readonly<Record<string, Buffer | string | readonly (Buffer | string)[] | undefined>>;

/** The attributes of a CloudEvents 1.0 event in binary mode; `version` is the contract's, an extension attribute. */
export type Attributes = {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly source: string;
  readonly time: string;
  readonly requestId?: string;
  readonly traceparent?: string;
};

const maxHeaderLength = 1024;

/** The {@link RecordLabel} of a record, an extension attribute. Records of releases before it have none. */
export const labelHeader = 'ce_indeliblelabel';

/** For a message that was set aside: the id of its shared record, an extension attribute. */
export const packHeader = 'ce_indeliblepack';

export const toHeaders = (
  attributes: Attributes,
  {
    contentType = 'application/json',
    label,
  }: { contentType?: string | undefined; label?: RecordLabel | undefined } = {},
): Record<string, string> => ({
  'content-type': contentType,
  ce_specversion: '1.0',
  ce_id: attributes.id,
  ce_type: attributes.type,
  ce_source: attributes.source,
  ce_time: attributes.time,
  ce_indelibleversion: String(attributes.version),
  ...(attributes.requestId === undefined ? {} : { ce_requestid: attributes.requestId }),
  ...(attributes.traceparent === undefined ? {} : { traceparent: attributes.traceparent }),
  ...(label === undefined ? {} : { [labelHeader]: label }),
});

/** One header's text, or undefined if absent, repeated or too long to be ours. */
export const headerText = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  if (typeof value !== 'string' && !Buffer.isBuffer(value)) return undefined;
  return value.length > maxHeaderLength ? undefined : value.toString();
};

const required = (headers: Headers, name: string): string => {
  const value = headerText(headers, name);
  if (value === undefined || value === '') throw new MessageInvalidError(`Header ${name} is missing`);
  return value;
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether it is a UUID as Postgres writes it: its text identifies repeats (I5). */
export const isMessageId = (id: unknown): id is string => typeof id === 'string' && uuid.test(id);

/** @throws MessageInvalidError when the headers are not those of a CloudEvents 1.0 event of this service. */
export const fromHeaders = (headers: Headers): Attributes => {
  const specversion = required(headers, 'ce_specversion');
  if (specversion !== '1.0') throw new MessageInvalidError('Header ce_specversion is not 1.0');
  const id = required(headers, 'ce_id');
  if (!isMessageId(id)) throw new MessageInvalidError('Header ce_id is not a UUID in lower case');
  const version = Number(required(headers, 'ce_indelibleversion'));
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new MessageInvalidError('Header ce_indelibleversion is not a version');
  }
  const requestId = headerText(headers, 'ce_requestid');
  const traceparent = headerText(headers, 'traceparent');
  return {
    id,
    type: required(headers, 'ce_type'),
    version,
    source: required(headers, 'ce_source'),
    time: required(headers, 'ce_time'),
    ...(requestId === undefined ? {} : { requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
};
