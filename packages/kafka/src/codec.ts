import {
  allMessages,
  columnsContentType,
  type DataOf,
  type MessageContract,
  type RecordLabel,
  type TopicName,
  topics,
} from '@indelible/messages';
import { Ajv, type ValidateFunction } from 'ajv';
import {
  type Attributes,
  fromHeaders,
  type Headers,
  headerText,
  labelHeader,
  packHeader,
  toHeaders,
} from './cloud-event.ts';
import { MessageInvalidError } from './errors.ts';
import type { IncomingMessage, OutgoingMessage, OutgoingPack } from './message.ts';
import { packContentType, packedIn, packOf } from './pack.ts';
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

/** A message checked against its contract, as JSON; `json` of a packed one is its array item, with envelope. */
export type EncodedMessage = {
  readonly contract: MessageContract;
  readonly key: string;
  readonly envelope: Omit<Attributes, 'type' | 'version' | 'source'>;
  readonly label: RecordLabel | undefined;
  readonly json: string;
  /** Instead of `json`: a finished record, which no other message joins. */
  readonly made?: OutgoingPack['pack'];
  readonly alone?: true;
};

export type Encoder = {
  /** @throws MessageInvalidError when the data does not fit its contract, or the publisher lacks the contract. */
  encode(message: OutgoingMessage): EncodedMessage;
  /**
   * For messages checked when their record was made. @throws MessageInvalidError if the publisher lacks the contract
   */
  encodePack(pack: OutgoingPack): EncodedMessage;
  /** The record of one message, or of several of one packed contract, key and label, in their order. */
  recordOf(messages: readonly [EncodedMessage, ...EncodedMessage[]]): OutgoingRecord;
};

/** Encodes messages of these contracts. `schemaIds` holds the registry's id of each contract by {@link contractId}. */
export const createEncoder = (options: {
  contracts: readonly MessageContract[];
  schemaIds: ReadonlyMap<string, number>;
  source: string;
  topicNames: Pick<TopicNames, 'full'>;
}): Encoder => {
  const validators = compileAll(options.contracts);
  const schemaIdOf = (contract: MessageContract): number => {
    const schemaId = options.schemaIds.get(contractId(contract));
    if (schemaId === undefined)
      throw new MessageInvalidError(`${contractId(contract)} is not among the publisher's contracts`);
    return schemaId;
  };
  return {
    encode(message) {
      const { contract, id, time, requestId, traceparent } = message;
      const validator = validators.get(contractId(contract));
      if (validator === undefined || !options.schemaIds.has(contractId(contract)))
        throw new MessageInvalidError(`${contractId(contract)} is not among the publisher's contracts`);
      if (!validator.fits(message.data))
        throw new MessageInvalidError(`${contractId(contract)} does not fit its schema: ${describe(validator.fits)}`);
      const envelope = {
        id,
        time,
        ...(requestId === undefined ? {} : { requestId }),
        ...(traceparent === undefined ? {} : { traceparent }),
      };
      return {
        contract,
        key: message.key ?? contract.key(message.data),
        envelope,
        label: contract.label?.(message.data),
        json: JSON.stringify(contract.packed ? { ...envelope, data: message.data } : message.data),
      };
    },
    encodePack({ contract, id, time, pack }) {
      schemaIdOf(contract);
      return {
        ...{ contract, key: pack.key, envelope: { id, time }, label: pack.label ?? undefined },
        ...{ json: '', made: pack, alone: true },
      };
    },
    recordOf(messages) {
      const [{ contract, key, envelope, label, json, made }] = messages;
      const { type, version, packed } = contract;
      const schemaId = schemaIdOf(contract);
      return {
        topic: options.topicNames.full(contract.topic),
        key,
        value:
          made === undefined
            ? bodyOf(schemaId, packed ? packOf(messages.map((message) => message.json)) : json)
            : Buffer.concat([prefixOf(schemaId), made.body]),
        headers: toHeaders(
          { ...envelope, type, version, source: options.source },
          { label, contentType: made !== undefined ? columnsContentType : packed ? packContentType : undefined },
        ),
      };
    },
  };
};

const prefixOf = (schemaId: number): Buffer => {
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt8(magicByte, 0);
  prefix.writeUInt32BE(schemaId, 1);
  return prefix;
};

function bodyOf(schemaId: number, json: string): Buffer {
  const value = Buffer.allocUnsafe(prefixLength + Buffer.byteLength(json));
  value.writeUInt8(magicByte, 0);
  value.writeUInt32BE(schemaId, 1);
  value.write(json, prefixLength);
  return value;
}

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

/** The messages of a record in their order: one, or those of a pack; none of a type that is not handled, or of a label that is skipped. */
export type Decode = (record: IncomingRecord) => readonly IncomingMessage[];

const typeIn = (topic: TopicName, type: string): string => `${topic} ${type}`;
const typesOf = (contracts: readonly MessageContract[]): ReadonlySet<string> =>
  new Set(contracts.map(({ topic, type }) => typeIn(topic, type)));
const allTypes = typesOf(allMessages);

/**
 * Decodes records of these contracts. A reader validates against its own schema: the registry's compatibility rule lets
 * it read what older and newer writers of the subject write, so it needs no registry to read.
 *
 * Types of other consumers are skipped; so are unknown types of an event topic, for which `onUnknown` is called. A
 * version that the consumer lacks is invalid, and so is an unknown command: accepted requests are never skipped (I6).
 * @param options.skips labels of records that are skipped by their header alone
 * @throws MessageInvalidError from the returned function when the record, or one message of it, cannot be decoded.
 */
export const createDecoder = (options: {
  contracts: readonly MessageContract[];
  topicNames: Pick<TopicNames, 'plain'>;
  onUnknown?: (topic: TopicName) => void;
  skips?: readonly RecordLabel[];
}): Decode => {
  const validators = compileAll(options.contracts);
  const ownTypes = typesOf(options.contracts);
  const skip = (topic: TopicName, id: string, type: string): readonly [] => {
    if (ownTypes.has(typeIn(topic, type))) throw new MessageInvalidError(`${id} is a version that is not handled here`);
    if (allTypes.has(typeIn(topic, type))) return [];
    if (topics[topic].kind === 'commands') throw new MessageInvalidError(`${id} is no command of ${topic}`);
    options.onUnknown?.(topic);
    return [];
  };
  const skipped: ReadonlySet<string | undefined> = new Set(options.skips);
  return (record) => {
    if (skipped.has(headerText(record.headers, labelHeader))) return [];
    const attributes: Attributes = fromHeaders(record.headers);
    const id = contractId(attributes);
    const validator = validators.get(id);
    const topic = options.topicNames.plain(record.topic);
    if (validator === undefined || validator.contract.topic !== topic) return skip(topic, id, attributes.type);
    const { contract, fits } = validator;
    const place = {
      contract,
      key: record.key === null ? '' : record.key.toString(),
      topic,
      partition: record.partition,
      offset: record.offset,
    };
    const checked = (data: unknown): IncomingMessage['data'] => {
      if (!fits(data)) throw new MessageInvalidError(`${id} does not fit its schema: ${describe(fits)}`);
      return data;
    };
    const body = parseBody(record.value);
    if (contract.packed !== true) return [{ ...attributes, ...place, data: checked(body) }];
    const { type, version, source } = attributes;
    const contentType = headerText(record.headers, 'content-type');
    const packId =
      headerText(record.headers, packHeader) ?? (contentType === columnsContentType ? attributes.id : undefined);
    const ofPack = packId === undefined ? {} : { packId };
    return packedIn(body, contentType).map((item) => ({
      ...{ type, version, source, ...place, ...item, ...ofPack },
      data: checked(item.data),
    }));
  };
};

/** A record of one of its messages alone: it may be invalid while others are not. */
export const recordOfOne = (record: IncomingRecord, message: IncomingMessage): IncomingRecord => {
  if (message.contract.packed !== true || record.value === null) return record;
  const { id, time, requestId, traceparent, data } = message;
  const item = JSON.stringify({
    ...{ id, time },
    ...(requestId === undefined ? {} : { requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  });
  return {
    ...record,
    value: bodyOf(record.value.readUInt32BE(1), packOf([item])),
    headers: {
      ...record.headers,
      ...{ 'content-type': packContentType, ce_id: id, ce_time: time },
      ...(message.packId === undefined ? {} : { [packHeader]: message.packId }),
    },
  };
};
