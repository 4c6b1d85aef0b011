import { effectOfLog, eventTopics } from '@indelible/commitment-contract';
import {
  type BlockHeader,
  createChainReader,
  type PlacedLog,
  type Rpc,
  RpcUnavailableError,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { BlockAppended, ChainLog } from '@indelible/messages';

/** A block with its commitments, as in one message. */
export type ChainBlock = BlockAppended;

export type ChainBlocks = {
  /** Headers of consecutive numbers. @throws RpcUnavailableError when the node lacks some */
  headers(from: number, to: number): Promise<readonly BlockHeader[]>;
  /**
   * The first of these blocks, as many as fit in memory, with every commitment that the contract logged in them.
   * @throws RpcUnavailableError rather than omit one
   */
  withCommitments(headers: readonly BlockHeader[]): Promise<readonly ChainBlock[]>;
};

const commitmentTopics = [eventTopics.AddObject, eventTopics.AddSetObject] as const;

/** Reads blocks of a chain from a node, with all checks of the chain-indexer. */
export function createChainBlocks(options: {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly contract: Hex;
  /** Per request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): ChainBlocks {
  const { chainId } = options;
  const reader = createChainReader({ ...options, topics: commitmentTopics as readonly Hex[], decode: commitmentIn });
  return {
    async headers(from, to) {
      const headers = await reader.headers(Array.from({ length: to - from + 1 }, (_, i) => from + i));
      const missing = headers.findIndex(({ number }, i) => number !== from + i);
      const end = missing === -1 ? headers.length : missing;
      if (from + end <= to) throw new RpcUnavailableError(`the node has no block ${from + end}`);
      return headers;
    },

    async withCommitments(headers) {
      const blocks = await reader.withLogs(headers);
      return blocks.map(({ header: { number, hash, parentHash, timestamp: time }, logs }) => {
        return { chainId, number, hash, parentHash, time, part: 1, parts: 1, logs: [...logs] };
      });
    },
  };
}

function commitmentIn(log: PlacedLog): ChainLog | 'undecodable' | undefined {
  const effect = effectOfLog(log);
  return typeof effect === 'object' && effect.kind !== 'object' ? undefined : effect;
}
