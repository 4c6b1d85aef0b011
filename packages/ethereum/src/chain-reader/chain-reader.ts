import type { Hex } from '@indelible/identifiers';
import { type BlockHeader, getBlockByHash, type Head, readBlock } from '../reads/blocks.ts';
import { quantityOf } from '../reads/fields.ts';
import { getTransactionReceipt, type TransactionReceipt } from '../reads/transactions.ts';
import { RpcUnavailableError } from '../rpc/errors.ts';
import type { Rpc, RpcLogger } from '../rpc/port.ts';
import { createLogFilter } from './bloom.ts';
import { isChildOf } from './chained.ts';
import { type ContractLogs, collectLogs, type DecodeLog, type LogHeader } from './collect-logs.ts';
import { createReadAhead } from './read-ahead.ts';
import { createReceiptReader } from './receipt-reader.ts';

/** A header of any kind; one from a subscription lacks fields, which are then read by hash. */
export type ReadHeader = Head & Partial<Pick<BlockHeader, 'gasUsed' | 'transactions'>>;

/** A block with what the contract logged in it. */
export type BlockLogs<Header, Log> = ContractLogs<Log> & { readonly header: Header };

/**
 * The blocks of a chain with the logs of one contract: the only way to read logs that are stored, published or judged.
 * All methods throw RpcUnavailableError, RpcAnswerError, or the signal's reason.
 */
export type ChainReader<Log> = {
  /** The blocks with these numbers that the node has, in that order. */
  headers(numbers: readonly number[]): Promise<readonly BlockHeader[]>;
  /**
   * Blocks with every log of the contract: the first of the list, as many as memory allows, at least one.
   * @param headers each the parent of the next
   */
  withLogs<Header extends ReadHeader>(headers: readonly Header[]): Promise<readonly BlockLogs<Header, Log>[]>;
  /** The contract's logs in a transaction, from all receipts of its block; undefined if it is in no block. */
  ofTransaction(
    hash: Hex,
  ): Promise<{ readonly receipt: TransactionReceipt; readonly logs: readonly Log[] } | undefined>;
};

/** Providers limit the calls per batch. */
const callsPerBatch = 50;
/** The most logs read at once; a single block with more is still read. */
const logsAtOnce = 10_000;
const nothing = { logs: [], undecodable: 0 } as const;

/**
 * Logs come from a block's receipts, requested by its hash, so that no answer can be of another fork, and checked (see
 * collectLogs). Blocks whose filter rules logs out are skipped. Filtered logs (eth_getLogs) come from an index that
 * nodes fill after the chain; what it lacks cannot be detected.
 */
export function createChainReader<Log extends { readonly transactionHash: Hex }>(options: {
  readonly rpc: Rpc;
  /** Lower-case. */
  readonly contract: Hex;
  /** Of the events that are read. */
  readonly topics: readonly Hex[];
  readonly decode: DecodeLog<Log>;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly logger?: RpcLogger;
}): ChainReader<Log> {
  const { rpc, contract, topics, decode, signal } = options;
  const receipts = createReceiptReader(options);
  const mayHaveLogged = createLogFilter(contract, topics);

  /** The header read by hash: all other given fields must match it. */
  const whole = async (header: ReadHeader): Promise<LogHeader> => {
    const block = await getBlockByHash(rpc, header.hash, { signal });
    if (block === null) throw new RpcUnavailableError(`the node has no block ${header.number}`);
    const { number, hash, parentHash, timestamp } = header;
    if (
      block.hash !== hash ||
      block.number !== number ||
      block.parentHash !== parentHash ||
      block.timestamp !== timestamp
    )
      throw new RpcUnavailableError(`the node gave another block ${number}`);
    return block;
  };

  const nextLogs = createReadAhead(async (header: ReadHeader): Promise<ContractLogs<Log>> => {
    let parts = receipts.read(header);
    let [block, part] = await Promise.all([isWhole(header) ? header : whole(header), parts.next()]);
    // Some nodes omit or repeat transactions that the chain itself writes into a block, but know each of them.
    if (part.done !== true && part.value.kind === 'all' && !areOf(part.value.receipts, block.transactions)) {
      parts = receipts.readInParts(block);
      part = await parts.next();
    }
    const collector = collectLogs(block, contract, decode);
    for (; part.done !== true; part = await parts.next())
      if (part.value.kind === 'unreadable') collector.takeIndexed(part.value.transactionHash, part.value.indexedLogs);
      else collector.take(part.value.receipts);
    return collector.finish();
  });

  const withLogs = async <Header extends ReadHeader>(
    headers: readonly Header[],
  ): Promise<readonly BlockLogs<Header, Log>[]> => {
    headers.forEach((header, i) => {
      const parent = headers[i - 1];
      if (parent !== undefined && !isChildOf(header, parent))
        throw new RpcUnavailableError(`block ${header.number} does not follow block ${parent.number}`);
    });
    const active = new Set<Header>(headers.filter(mayHaveLogged));
    const next = nextLogs([...active]);
    const blocks: BlockLogs<Header, Log>[] = [];
    let logsRead = 0;
    for (const header of headers) {
      if (logsRead >= logsAtOnce) break;
      const read = active.has(header) ? await next(header) : nothing;
      logsRead += read.logs.length;
      blocks.push({ header, ...read });
    }
    return blocks;
  };

  /** The last block read: the transactions of a block are mostly requested consecutively. */
  let newest: { readonly hash: Hex; readonly logs: readonly Log[] } | undefined;

  const logsOfBlock = async ({ blockHash: hash, blockNumber }: TransactionReceipt): Promise<readonly Log[]> => {
    if (newest?.hash === hash) return newest.logs;
    const header = await getBlockByHash(rpc, hash, { signal });
    if (header === null) throw new RpcUnavailableError(`the node has no block ${blockNumber}`);
    const [block] = await withLogs([header]);
    newest = { hash, logs: block?.logs ?? [] };
    return newest.logs;
  };

  return {
    withLogs,

    async headers(numbers) {
      const found: BlockHeader[] = [];
      for (let at = 0; at < numbers.length; at += callsPerBatch) {
        const calls = numbers
          .slice(at, at + callsPerBatch)
          .map((number) => ({ method: 'eth_getBlockByNumber', params: [quantityOf(number), false] }));
        for (const [i, outcome] of (await rpc.batch(calls, { signal })).entries()) {
          if (!outcome.ok) throw outcome.error;
          const block = readBlock(outcome.result);
          if (block === null) continue;
          if (block.number !== numbers[at + i]) throw new RpcUnavailableError('the node gave another block');
          found.push(block);
        }
      }
      return found;
    },

    async ofTransaction(hash) {
      const receipt = await getTransactionReceipt(rpc, hash, { signal });
      if (receipt === null) return undefined;
      const logs = (await logsOfBlock(receipt)).filter(({ transactionHash }) => transactionHash === hash);
      const claimed = receipt.logs.filter(({ address }) => address === contract).map(decode);
      if (claimed.filter((log) => log !== undefined && log !== 'undecodable').length !== logs.length)
        throw new RpcUnavailableError(`the receipt of ${hash} does not agree with those of its block`);
      return { receipt, logs };
    },
  };
}

const isWhole = (header: ReadHeader): header is ReadHeader & LogHeader => header.transactions !== undefined;

/** Whether these are the receipts of these transactions, one by one. The other fields are checked on collection. */
const areOf = (receipts: readonly unknown[], transactions: readonly Hex[]): boolean =>
  receipts.length === transactions.length &&
  receipts.every((receipt, i) => {
    const hash = (receipt as { readonly transactionHash?: unknown } | null)?.transactionHash;
    return hash === transactions[i] || String(hash).toLowerCase() === transactions[i];
  });
