import { RpcUnavailableError } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';
import { chainLogOf } from './chain-log.ts';

/** What the block's header says of its logs. */
type Header = {
  readonly number: number;
  readonly hash: Hex;
  readonly logsBloom: Hex;
  /** Undefined where the header came without. */
  readonly gasUsed?: bigint | undefined;
};
type Fault = (what: string) => RpcUnavailableError;
type Receipt = {
  readonly transactionHash: Hex;
  readonly filter: bigint;
  /** Of the block up to this transaction. */
  readonly gasUsed: bigint;
  readonly logs: readonly unknown[];
};

const bytes32 = /^0x[0-9a-f]{64}$/;
const quantity = /^0x[0-9a-f]{1,64}$/;
const hexBytes = /^0x([0-9a-f]{2})*$/i;
const bloom = /^0x[0-9a-f]{512}$/;
/** Stands for a filter that a chain does not give: it rules nothing out. */
const anything = (1n << 2048n) - 1n;

/** What a contract logged in a block, in order, and how many of its logs no reader can decode. */
export type ContractLogs = { readonly logs: readonly ChainLog[]; readonly undecodable: number };

/** Takes the receipts of a block, in order. Each throws RpcUnavailableError: another node, or the same one later, may do better. */
export type LogCollector = {
  take(receipts: readonly unknown[]): void;
  /** In place of one receipt that cannot be read: what the node's index has of the contract in the whole block. */
  takeIndexed(transactionHash: Hex, indexedLogs: readonly IndexedLog[]): void;
  finish(): ContractLogs;
};

/** A log as a node's index gives it. */
export type IndexedLog = {
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
};

/**
 * Collects what a contract logged in a block, by the receipts of the block. Nothing is left out: transactions and logs are
 * counted through, and the receipts must make up the block's filter and its gas. Of a transaction that could not be read, the
 * node's index is believed when it agrees with all that was read of the others.
 * A log of the contract in receipts like these that cannot be decoded is a fact of the chain, since anybody may call the
 * contract: it is counted, and keeps its place.
 * @param contract lower-case
 */
export function collectLogs(header: Header, contract: Hex): LogCollector {
  const fault: Fault = (what) => new RpcUnavailableError(`the receipts of block ${header.number} ${what}`);
  const found: ChainLog[] = [];
  const places: number[] = [];
  const unread = new Map<Hex, readonly IndexedLog[]>();
  let undecodable = 0;
  let union = 0n;
  let gas = 0n;
  let place = 0;
  let logIndex = 0;
  /** How many logs an unread transaction has is not known before the next log is. */
  let countLost = false;

  const note = (log: { topics: readonly Hex[]; data: Hex; transactionHash: Hex }, at: number): void => {
    places.push(at);
    const read = chainLogOf({ ...log, logIndex: at });
    if (read === 'undecodable') {
      if (!log.topics.every((topic) => bytes32.test(topic.toLowerCase())) || !hexBytes.test(log.data))
        throw fault('are malformed');
      undecodable += 1;
    } else if (read !== undefined) found.push(read);
  };

  const takeOne = (receipt: unknown): void => {
    const { transactionHash, filter, gasUsed, logs } = readReceipt(receipt, header, place, fault);
    place += 1;
    union |= filter;
    if (gasUsed > gas) gas = gasUsed;
    for (const log of logs) {
      const { address, topics, data, logIndex: index } = fieldsOf(log, fault);
      if (countLost && Number(index) >= logIndex) {
        logIndex = Number(index);
        countLost = false;
      }
      if (Number(index) !== logIndex) throw fault('are without some of their logs');
      if (address === contract || lowerCase(address) === contract) {
        if (!isTexts(topics) || typeof data !== 'string') throw fault('are malformed');
        note({ topics, data: data as Hex, transactionHash }, logIndex);
      }
      logIndex++;
    }
  };

  return {
    take(receipts) {
      for (const receipt of receipts) takeOne(receipt);
    },

    takeIndexed(transactionHash, indexedLogs) {
      unread.set(transactionHash, indexedLogs);
      place += 1;
      for (const log of indexedLogs) {
        if (log.transactionHash !== transactionHash) continue;
        if (log.logIndex < logIndex) throw fault('do not agree with its logs');
        note(log, log.logIndex);
        logIndex = log.logIndex + 1;
      }
      countLost = true;
    },

    finish() {
      for (const indexedLogs of unread.values())
        if (indexedLogs.map((log) => log.logIndex).join() !== places.join()) throw fault('do not agree with its logs');
      if (unread.size > 0) return { logs: found, undecodable };
      if (header.gasUsed !== undefined && gas < header.gasUsed) throw fault('do not make up its gas');
      const blockFilter = BigInt(header.logsBloom);
      if (blockFilter !== anything && (union | blockFilter) !== union)
        throw fault('do not hold all that the block logged');
      return { logs: found, undecodable };
    },
  };
}

function readReceipt(value: unknown, header: Header, place: number, fault: Fault): Receipt {
  const { blockHash, transactionHash, transactionIndex, cumulativeGasUsed, logs, logsBloom } = fieldsOf(value, fault);
  if (lowerCase(blockHash) !== header.hash) throw fault('are of another block');
  if (Number(transactionIndex) !== place) throw fault('are incomplete');
  const hash = lowerCase(transactionHash);
  const gas = lowerCase(cumulativeGasUsed);
  if (!Array.isArray(logs) || !bytes32.test(hash) || !quantity.test(gas)) throw fault('are malformed');
  const receipt = { transactionHash: hash as Hex, gasUsed: BigInt(gas), logs };
  if (logsBloom === undefined || logsBloom === null) return { ...receipt, filter: anything };
  const filter = lowerCase(logsBloom);
  if (!bloom.test(filter)) throw fault('are malformed');
  if (logs.length === 0 && BigInt(filter) !== 0n) throw fault('are without their logs');
  return { ...receipt, filter: BigInt(filter) };
}

function fieldsOf(value: unknown, fault: Fault): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw fault('are malformed');
  return value as Readonly<Record<string, unknown>>;
}

const isTexts = (value: unknown): value is readonly Hex[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');
const lowerCase = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');
