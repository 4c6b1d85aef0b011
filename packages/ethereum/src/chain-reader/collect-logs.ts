import type { Hex } from '@indelible/identifiers';
import type { BlockHeader } from '../reads/blocks.ts';
import { RpcUnavailableError } from '../rpc/errors.ts';

/** The header fields about transactions and their logs. */
export type LogHeader = Pick<BlockHeader, 'number' | 'hash' | 'logsBloom' | 'transactions'>;

/** A log of the contract in its block. */
export type PlacedLog = {
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
};

/** Reads a log of the contract: undefined if it concerns no reader, `undecodable` if its shape is unknown. */
export type DecodeLog<Log> = (log: PlacedLog) => Log | 'undecodable' | undefined;

/** What a contract logged in a block, in order, and how many of its logs cannot be decoded. */
export type ContractLogs<Log> = { readonly logs: readonly Log[]; readonly undecodable: number };

/** Takes the receipts of a block, in order. Each throws RpcUnavailableError: another node, or the same one later, may do better. */
export type LogCollector<Log> = {
  take(receipts: readonly unknown[]): void;
  /** Replaces one unreadable receipt by the contract's logs of the whole block from the node's index. */
  takeIndexed(transactionHash: Hex, indexedLogs: readonly PlacedLog[]): void;
  finish(): ContractLogs<Log>;
};

type Fault = (what: string) => RpcUnavailableError;
type Fields = Readonly<Record<string, unknown>>;
type Receipt = {
  readonly filter: bigint;
  /** Chains without a status keep no logs of failed transactions. */
  readonly succeeded: boolean;
  readonly logs: readonly unknown[];
};

const address = /^0x[0-9a-f]{40}$/;
const bytes32 = /^0x[0-9a-f]{64}$/;
const hexBytes = /^0x([0-9a-f]{2})*$/i;
const bloom = /^0x[0-9a-f]{512}$/;
/** Replaces a missing filter: rules nothing out. */
const anything = (1n << 2048n) - 1n;

/**
 * Collects a contract's logs in a block from the block's receipts. Nothing is missing or from elsewhere: receipts match
 * the header's transactions one by one; logs are numbered without gaps, and each names the receipt's block and
 * transaction; the receipts produce the block's filter. For an unreadable transaction, the node's index is trusted if
 * it agrees with all other receipts. A log that cannot be decoded in such receipts is a fact of the chain, since
 * anybody may call the contract: it is counted, and keeps its place.
 * @param contract lower-case
 */
export function collectLogs<Log>(header: LogHeader, contract: Hex, decode: DecodeLog<Log>): LogCollector<Log> {
  const fault: Fault = (what) => new RpcUnavailableError(`the receipts of block ${header.number} ${what}`);
  const found: Log[] = [];
  const places: number[] = [];
  const unread: (readonly PlacedLog[])[] = [];
  let undecodable = 0;
  let union = 0n;
  let place = 0;
  let logIndex = 0;
  /** The log count of an unread transaction is unknown until the next log. */
  let countLost = false;

  const note = (log: PlacedLog): void => {
    places.push(log.logIndex);
    const read = decode(log);
    if (read !== undefined && read !== 'undecodable') {
      found.push(read);
      return;
    }
    // A truncated log, without its event or shape, is not a fact of the chain.
    if (!log.topics.every((topic) => bytes32.test(topic.toLowerCase())) || !hexBytes.test(log.data))
      throw fault('are malformed');
    if (read === 'undecodable') undecodable += 1;
  };

  /** The hash of the transaction whose receipt is next. */
  const nextTransaction = (): Hex => {
    const hash = header.transactions[place];
    if (hash === undefined) throw fault('are more than its transactions');
    place += 1;
    return hash;
  };

  const takeLog = (value: unknown, transactionHash: Hex, { succeeded }: Receipt): void => {
    const log = fieldsOf(value, fault);
    const { topics, data } = log;
    const index = Number(log.logIndex);
    if (countLost && index >= logIndex) {
      logIndex = index;
      countLost = false;
    }
    if (index !== logIndex) throw fault('are without some of their logs');
    logIndex++;
    if (!is(log.blockHash, header.hash) || !is(log.transactionHash, transactionHash))
      throw fault('hold logs of another place');
    if (log.removed === true) throw fault('hold logs that were removed');
    if (!isTexts(topics) || typeof data !== 'string') throw fault('are malformed');
    if (is(log.address, contract)) {
      if (!succeeded) throw fault('hold logs of a transaction that failed');
      note({ topics, data: data as Hex, transactionHash, logIndex: index });
    } else if (!address.test(lowerCase(log.address))) throw fault('are malformed');
  };

  return {
    take(receipts) {
      for (const value of receipts) {
        const at = place;
        const transactionHash = nextTransaction();
        const receipt = readReceipt(value, { hash: header.hash, place: at, transactionHash }, fault);
        union |= receipt.filter;
        for (const log of receipt.logs) takeLog(log, transactionHash, receipt);
      }
    },

    takeIndexed(transactionHash, indexedLogs) {
      if (nextTransaction() !== transactionHash) throw fault('are of other transactions');
      unread.push(indexedLogs);
      for (const log of indexedLogs) {
        if (log.transactionHash !== transactionHash) continue;
        if (log.logIndex < logIndex) throw fault('do not agree with its logs');
        note(log);
        logIndex = log.logIndex + 1;
      }
      countLost = true;
    },

    finish() {
      for (const indexedLogs of unread)
        if (indexedLogs.map((log) => log.logIndex).join() !== places.join()) throw fault('do not agree with its logs');
      if (unread.length === 0) {
        const blockFilter = BigInt(header.logsBloom);
        if (blockFilter !== anything && (union | blockFilter) !== union)
          throw fault('do not hold all that the block logged');
      }
      if (place !== header.transactions.length) throw fault('are incomplete');
      return { logs: found, undecodable };
    },
  };
}

function readReceipt(
  value: unknown,
  expected: { readonly hash: Hex; readonly place: number; readonly transactionHash: Hex },
  fault: Fault,
): Receipt {
  const { blockHash, transactionHash, transactionIndex, logs, logsBloom, status } = fieldsOf(value, fault);
  if (!is(blockHash, expected.hash)) throw fault('are of another block');
  if (!Array.isArray(logs) || !bytes32.test(lowerCase(transactionHash))) throw fault('are malformed');
  if (Number(transactionIndex) !== expected.place) throw fault('are incomplete');
  if (!is(transactionHash, expected.transactionHash)) throw fault('are of other transactions');
  const receipt = { succeeded: (status ?? null) === null || Number(status) === 1, logs };
  if (logsBloom === undefined || logsBloom === null) return { ...receipt, filter: anything };
  const filter = lowerCase(logsBloom);
  if (!bloom.test(filter)) throw fault('are malformed');
  if (logs.length === 0 && BigInt(filter) !== 0n) throw fault('are without their logs');
  return { ...receipt, filter: BigInt(filter) };
}

function fieldsOf(value: unknown, fault: Fault): Fields {
  if (typeof value !== 'object' || value === null) throw fault('are malformed');
  return value as Fields;
}

const isTexts = (value: unknown): value is readonly Hex[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');
const lowerCase = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');
/** Whether a node's hex, of whatever letter case, is this one in lower case. */
const is = (value: unknown, expected: Hex): boolean => value === expected || lowerCase(value) === expected;
