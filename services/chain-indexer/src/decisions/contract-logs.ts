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
const bloom = /^0x[0-9a-f]{512}$/;
/** Stands for a filter that a chain does not give: it rules nothing out. */
const anything = (1n << 2048n) - 1n;

/**
 * What a contract logged in a block, by the receipts of the block, in order. Nothing is left out: transactions and logs
 * are counted through, and the receipts must make up the block's filter and its gas.
 * @param receipts all of the block, as nodes answer them
 * @param contract lower-case
 * @throws RpcUnavailableError when something is missing, of another block or malformed, MalformedAnswerError when a log
 *   is none of the contract's: another node, or the same one later, may do better
 */
export function contractLogsOf(receipts: unknown, header: Header, contract: Hex): readonly ChainLog[] {
  const fault: Fault = (what) => new RpcUnavailableError(`the receipts of block ${header.number} ${what}`);
  if (!Array.isArray(receipts)) throw fault('are missing');
  const found: ChainLog[] = [];
  let union = 0n;
  let gas = 0n;
  let logIndex = 0;
  for (const [place, each] of receipts.entries()) {
    const { transactionHash, filter, gasUsed, logs } = readReceipt(each, header, place, fault);
    union |= filter;
    if (gasUsed > gas) gas = gasUsed;
    for (const log of logs) {
      const { address, topics, data, logIndex: index } = fieldsOf(log, fault);
      if (Number(index) !== logIndex) throw fault('are without some of their logs');
      if (address === contract || lowerCase(address) === contract) {
        if (!isTexts(topics) || typeof data !== 'string') throw fault('are malformed');
        const read = chainLogOf({ topics, data: data as Hex, transactionHash, logIndex });
        if (read !== undefined) found.push(read);
      }
      logIndex++;
    }
  }
  if (header.gasUsed !== undefined && gas < header.gasUsed) throw fault('do not make up its gas');
  const blockFilter = BigInt(header.logsBloom);
  if (blockFilter !== anything && (union | blockFilter) !== union) throw fault('do not hold all that the block logged');
  return found;
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
