import { effectOfLog, eventTopics } from '@indelible/commitment-contract';
import {
  createChainReader,
  getBlockByNumber,
  type ReadHeader,
  type Rpc,
  RpcAnswerError,
  RpcUnavailableError,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Logger } from '@indelible/service-runtime';
import type { ChainPort, FetchedHeader, Mark } from './ports.ts';

export const fetchedHeader = ({ timestamp, ...header }: ReadHeader): FetchedHeader => ({ ...header, time: timestamp });

/** The chain as a node reports it. Rejects with errors of @indelible/ethereum, or the signal's reason. */
export function createRpcChain(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  /** Per request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}): ChainPort {
  const { rpc, signal, logger } = options;
  const unnamed = new Set<Mark>();
  const reader = createChainReader({ ...options, topics: Object.values(eventTopics) as Hex[], decode: effectOfLog });

  return {
    async head() {
      const block = await getBlockByNumber(rpc, 'latest', { signal });
      if (block === null) throw new RpcUnavailableError('the node has no head');
      return fetchedHeader(block);
    },

    headers: async (numbers) => (await reader.headers(numbers)).map(fetchedHeader),

    async withLogs(headers) {
      const blocks = await reader.withLogs(headers.map(({ time, ...header }) => ({ ...header, timestamp: time })));
      return blocks.map(({ header: { number, hash, parentHash, timestamp: time }, logs, undecodable }) => {
        return { number, hash, parentHash, time, logs, undecodable };
      });
    },

    async marked(tag) {
      const block = await getBlockByNumber(rpc, tag, { signal }).catch((error: unknown) => {
        // Nodes return an error while they lack such a block, or do not know the tag.
        if (error instanceof RpcAnswerError) return null;
        throw error;
      });
      if (block !== null) return block;
      if (!unnamed.has(tag)) logger.warn({ tag }, 'Node has no block with this tag; none is announced until it does');
      unnamed.add(tag);
      return undefined;
    },
  };
}
