import type { DataOf, MessageContract } from '@indelible/messages';
import { Ajv, type ValidateFunction } from 'ajv';
import { type Attributes, fromHeaders, type Headers, toHeaders } from './cloud-event.ts';
import { MessageInvalidError } from './errors.ts';
import type { IncomingMessage, OutgoingMessage } from './message.ts';
import type { TopicNames } from './topic-names.ts';

/** Confluent's wire format: a zero byte, the schema's id as four bytes, then the JSON. */
const magicByte = 0;
const prefixLength = 5;

/** A record as it goes to and comes from a partition. */
export type OutgoingRecord = {
  readonly topic: string;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers: Headers;
};
export type IncomingRecord = OutgoingRecord & { readonly partition: number; readonly offset: string };

/** The name of a contract in maps: its type and version. */
export const contractId = (contract: { readonly type: string; readonly version: number }): string =>
  `${contract.type}.v${contract.version}`;

type Validator = { readonly contract: MessageContract; readonly fits: ValidateFunction<DataOf<MessageContract>> };

const compileAll = (contracts: readonly MessageContract[]): Map<string, Validator> => {
  const ajv = new Ajv({ allErrors: false });
  return new Map(
    contracts.map((contract) => [
      contractId(contract),
      { contract, fits: ajv.compile<DataOf<MessageContract>>(contract.schema) },
    ]),
  );
};

/** Where the data leaves its schema, and the rule; never the value (I10). */
const describe = ({ errors }: Pick<ValidateFunction, 'errors'>): string => {
  const [first] = errors ?? [];
  return first === undefined ? 'unknown rule' : `${first.instancePath || '/'} ${first.keyword}`;
};

export type Encode = (message: OutgoingMessage) => OutgoingRecord;

/**
 * Encodes messages of these contracts. `schemaIds` holds the registry's id of each contract by {@link contractId}.
 * @throws MessageInvalidError from the returned function when the data does not fit its contract.
 */
export const createEncoder = (options: {
  contracts: readonly MessageContract[];
  schemaIds: ReadonlyMap<string, number>;
  source: string;
  topicNames: Pick<TopicNames, 'full'>;
}): Encode => {
  const validators = compileAll(options.contracts);
  return (message) => {
    const id = contractId(message.contract);
    const validator = validators.get(id);
    const schemaId = options.schemaIds.get(id);
    if (validator === undefined || schemaId === undefined) {
      throw new MessageInvalidError(`${id} is not among the publisher's contracts`);
    }
    if (!validator.fits(message.data)) {
      throw new MessageInvalidError(`${id} does not fit its schema: ${describe(validator.fits)}`);
    }
    const json = JSON.stringify(message.data);
    const value = Buffer.allocUnsafe(prefixLength + Buffer.byteLength(json));
    value.writeUInt8(magicByte, 0);
    value.writeUInt32BE(schemaId, 1);
    value.write(json, prefixLength);
    return {
      topic: options.topicNames.full(message.contract.topic),
      key: message.key ?? message.contract.key(message.data),
      value,
      headers: toHeaders({
        id: message.id,
        type: message.contract.type,
        version: message.contract.version,
        source: options.source,
        time: message.time,
        ...(message.requestId === undefined ? {} : { requestId: message.requestId }),
        ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
      }),
    };
  };
};

const parseBody = (value: Buffer | null): unknown => {
  if (value === null || value.length <= prefixLength || value.readUInt8(0) !== magicByte) {
    throw new MessageInvalidError('The body is not in the wire format');
  }
  try {
    return JSON.parse(value.toString('utf8', prefixLength));
  } catch {
    // The parser's own message quotes the body.
    throw new MessageInvalidError('The body is not JSON');
  }
};

export type Decode = (record: IncomingRecord) => IncomingMessage | undefined;

/**
 * Decodes records of these contracts; undefined is a type or version that this reader does not handle.
 * A reader validates against its own schema: the registry's compatibility rule lets it read what older and newer
 * writers of the subject write, so it needs no registry to read.
 * @throws MessageInvalidError from the returned function when the record cannot be decoded.
 */
export const createDecoder = (options: {
  contracts: readonly MessageContract[];
  topicNames: Pick<TopicNames, 'plain'>;
}): Decode => {
  const validators = compileAll(options.contracts);
  return (record) => {
    const attributes: Attributes = fromHeaders(record.headers);
    const validator = validators.get(contractId(attributes));
    const topic = options.topicNames.plain(record.topic);
    if (validator === undefined || validator.contract.topic !== topic) return undefined;
    const data = parseBody(record.value);
    if (!validator.fits(data)) {
      throw new MessageInvalidError(`${contractId(attributes)} does not fit its schema: ${describe(validator.fits)}`);
    }
    return {
      ...attributes,
      contract: validator.contract,
      data,
      key: record.key === null ? '' : record.key.toString(),
      topic,
      partition: record.partition,
      offset: record.offset,
    };
  };
};
