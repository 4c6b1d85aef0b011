import type { Hex } from '@indelible/identifiers';
import { MalformedAnswerError } from '../errors.ts';
import { eventTopics } from '../generated/commitment-service.ts';
import { addressOf, secondsOf, uintOf, wordOf } from './answers.ts';

/** What JSON-RPC gives of a log, as far as decoding needs it: 0x hex strings. */
export interface ContractLog {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** An event of the contract. Addresses are lower-case, not checksummed; CIDs are lower-case; timestamps are Unix seconds. */
export type ContractEvent =
  | { readonly kind: 'AddSet'; readonly user: Hex; readonly setCid: Hex }
  | { readonly kind: 'AddObject'; readonly user: Hex; readonly objectCid: Hex; readonly timestamp: number }
  | {
      readonly kind: 'AddSetObject';
      readonly user: Hex;
      readonly setCid: Hex;
      readonly objectCid: Hex;
      readonly timestamp: number;
    }
  | { readonly kind: 'Grant' | 'Revoke'; readonly user: Hex; readonly delegate: Hex }
  | {
      readonly kind: 'GrantBySignature' | 'RevokeBySignature';
      readonly user: Hex;
      readonly delegate: Hex;
      readonly nonce: bigint;
    }
  | { readonly kind: 'LaneAdded' | 'LaneRemoved'; readonly operator: Hex; readonly lane: Hex };

type Decoder = (topics: readonly Hex[], data: Hex) => ContractEvent;

/**
 * Parses a repeated text once: consecutive logs of a batch mostly have the same user, set and time. A text that cannot
 * be parsed is not kept.
 */
function rememberLast<T extends string | number>(read: (text: Hex) => T): (text: Hex) => T {
  let last: { readonly text: Hex; readonly value: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: read(text) };
    return last.value;
  };
}

const readUser = rememberLast(addressOf);
const readSet = rememberLast(wordOf);
const readTime = rememberLast(secondsOf);

const decoders: Readonly<Record<ContractEvent['kind'], Decoder>> = {
  AddSet: ([, user, setCid], data) => {
    expectNoData(data);
    return { kind: 'AddSet', user: readUser(topic(user)), setCid: readSet(topic(setCid)) };
  },
  AddObject: ([, user, objectCid], data) => ({
    kind: 'AddObject',
    user: readUser(topic(user)),
    objectCid: wordOf(topic(objectCid)),
    timestamp: readTime(data),
  }),
  AddSetObject: ([, user, setCid, objectCid], data) => ({
    kind: 'AddSetObject',
    user: readUser(topic(user)),
    setCid: readSet(topic(setCid)),
    objectCid: wordOf(topic(objectCid)),
    timestamp: readTime(data),
  }),
  Grant: delegation('Grant'),
  Revoke: delegation('Revoke'),
  GrantBySignature: signedDelegation('GrantBySignature'),
  RevokeBySignature: signedDelegation('RevokeBySignature'),
  LaneAdded: lane('LaneAdded'),
  LaneRemoved: lane('LaneRemoved'),
};

type EventShape = { readonly topics: number; readonly decode: Decoder };
const decoderByTopic = new Map<string, EventShape>();
for (const [kind, decode] of Object.entries(decoders)) {
  decoderByTopic.set(eventTopics[kind as ContractEvent['kind']], { topics: kind === 'AddSetObject' ? 4 : 3, decode });
}

/**
 * Decodes a log of the contract. Undefined when its first topic is none of the contract's events. The caller has
 * checked the log's address: a log that names an event and does not have its shape is a MalformedAnswerError.
 */
export function decodeContractLog(log: ContractLog): ContractEvent | undefined {
  const topic0 = log.topics[0];
  const event = topic0 === undefined ? undefined : eventOf(topic0);
  if (event === undefined) return undefined;
  if (log.topics.length !== event.topics) throw new MalformedAnswerError(`a log has ${log.topics.length} topics`);
  return event.decode(log.topics, log.data);
}

/**
 * As decodeContractLog, for a log that is known to be on chain, as a log of complete and checked receipts is: what is
 * deployed may be older than this code and log what this code cannot read, and anybody may call it. Such a log is a fact,
 * `undecodable`, and no fault of a node.
 */
export function readContractLog(log: ContractLog): ContractEvent | 'undecodable' | undefined {
  try {
    return decodeContractLog(log);
  } catch (error) {
    if (error instanceof MalformedAnswerError) return 'undecodable';
    throw error;
  }
}

/** Topics are lower-case as a rule: only unknown ones are converted. */
function eventOf(topic0: Hex): EventShape | undefined {
  return decoderByTopic.get(topic0) ?? decoderByTopic.get(topic0.toLowerCase());
}

function delegation(kind: 'Grant' | 'Revoke'): Decoder {
  return ([, user, delegate], data) => {
    expectNoData(data);
    return { kind, user: addressOf(topic(user)), delegate: addressOf(topic(delegate)) };
  };
}

function signedDelegation(kind: 'GrantBySignature' | 'RevokeBySignature'): Decoder {
  return ([, user, delegate], data) => ({
    kind,
    user: addressOf(topic(user)),
    delegate: addressOf(topic(delegate)),
    nonce: uintOf(data),
  });
}

function lane(kind: 'LaneAdded' | 'LaneRemoved'): Decoder {
  return ([, operator, laneAddress], data) => {
    expectNoData(data);
    return { kind, operator: addressOf(topic(operator)), lane: addressOf(topic(laneAddress)) };
  };
}

function topic(value: Hex | undefined): Hex {
  if (value === undefined) throw new MalformedAnswerError('a topic is missing');
  return value;
}

function expectNoData(data: Hex): void {
  if (data !== '0x') throw new MalformedAnswerError('a log has data where its event has none');
}
