import { eventTopics } from '@indelible/commitment-contract';
import {
  type BlockHeader,
  bloomMayContain,
  getBlockByNumber,
  type Head,
  quantityOf,
  type Rpc,
  RpcAnswerError,
  RpcUnavailableError,
  readBlock,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Logger } from '@indelible/service-runtime';
import type { Block } from '../decisions/headers.ts';
import { createLogReader } from './log-reader.ts';
import type { ChainPort, FetchedHeader, Mark } from './ports.ts';

export const fetchedHeader = (head: Head & Partial<Pick<BlockHeader, 'gasUsed'>>): FetchedHeader => ({
  number: head.number,
  hash: head.hash,
  parentHash: head.parentHash,
  time: head.timestamp,
  logsBloom: head.logsBloom,
  ...(head.gasUsed === undefined ? {} : { gasUsed: head.gasUsed }),
});

/** Providers bound the calls of one batch. */
const callsPerBatch = 50;
const nothing = { logs: [], undecodable: 0 } as const;
/** What is read at once: one block may have more, and is taken all the same. */
const logsAtOnce = 10_000;

/** The chain as a node tells it. Rejects with errors of @indelible/ethereum, or the signal's reason. */
export function createRpcChain(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}): ChainPort {
  const { rpc, contract, signal, logger } = options;
  const unnamed = new Set<Mark>();
  /** Some chains leave the filters of all blocks empty: an empty one rules out nothing before one is seen that is not. */
  let fillsFilters = false;
  const logReader = createLogReader(options);

  const mayHaveLogged = ({ logsBloom, gasUsed }: FetchedHeader): boolean => {
    const isEmpty = BigInt(logsBloom) === 0n;
    fillsFilters ||= !isEmpty;
    if (!fillsFilters) return gasUsed !== 0n;
    return (
      bloomMayContain(logsBloom, contract) &&
      Object.values(eventTopics).some((topic) => bloomMayContain(logsBloom, topic as Hex))
    );
  };

  return {
    async head() {
      const block = await getBlockByNumber(rpc, 'latest', { signal });
      if (block === null) throw new RpcUnavailableError('the node has no head');
      return fetchedHeader(block);
    },

    async headers(numbers) {
      const found: FetchedHeader[] = [];
      for (let at = 0; at < numbers.length; at += callsPerBatch) {
        const calls = numbers
          .slice(at, at + callsPerBatch)
          .map((number) => ({ method: 'eth_getBlockByNumber', params: [quantityOf(number), false] }));
        for (const [i, outcome] of (await rpc.batch(calls, { signal })).entries()) {
          if (!outcome.ok) throw outcome.error;
          const block = readBlock(outcome.result);
          if (block === null) continue;
          if (block.number !== numbers[at + i]) throw new RpcUnavailableError('the node gave another block');
          found.push(fetchedHeader(block));
        }
      }
      return found;
    },

    async withLogs(headers) {
      const next = logReader(headers.filter(mayHaveLogged));
      const blocks: Block[] = [];
      let logsRead = 0;
      for (const header of headers) {
        if (logsRead >= logsAtOnce) break;
        const { number, hash, parentHash, time } = header;
        const { logs, undecodable } = mayHaveLogged(header) ? await next(header) : nothing;
        logsRead += logs.length;
        blocks.push({ number, hash, parentHash, time, logs, undecodable });
      }
      return blocks;
    },

    async marked(tag) {
      const block = await getBlockByNumber(rpc, tag, { signal }).catch((error: unknown) => {
        // Nodes answer an error while they know of no such block, or of no such word.
        if (error instanceof RpcAnswerError) return null;
        throw error;
      });
      if (block !== null) return block;
      if (!unnamed.has(tag)) logger.warn({ tag }, 'the node names no such block; none is announced until it does');
      unnamed.add(tag);
      return undefined;
    },
  };
}
