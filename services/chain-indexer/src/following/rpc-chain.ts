import { eventTopics } from '@indelible/commitment-contract';
import {
  bloomMayContain,
  getBlockByNumber,
  getBlockReceipts,
  type Head,
  type Log,
  quantityOf,
  type Rpc,
  RpcAnswerError,
  type RpcCall,
  RpcUnavailableError,
  readBlock,
  readLogs,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Logger } from '@indelible/service-runtime';
import { chainLogOf } from '../decisions/chain-log.ts';
import type { Place } from '../decisions/headers.ts';
import type { ChainPort, FetchedHeader } from './ports.ts';

export const fetchedHeader = ({ number, hash, parentHash, timestamp, logsBloom }: Head): FetchedHeader => ({
  number,
  hash,
  parentHash,
  time: timestamp,
  logsBloom,
});

/** Providers bound the calls of one batch. */
const callsPerBatch = 50;

/** The chain as a node tells it. Rejects with errors of @indelible/ethereum, or the signal's reason. */
export function createRpcChain(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}): ChainPort {
  const { rpc, contract, signal, logger } = options;

  const batch = async (calls: readonly RpcCall[]): Promise<readonly unknown[]> => {
    const results: unknown[] = [];
    for (let at = 0; at < calls.length; at += callsPerBatch)
      for (const outcome of await rpc.batch(calls.slice(at, at + callsPerBatch), { signal })) {
        if (!outcome.ok) throw outcome.error;
        results.push(outcome.result);
      }
    return results;
  };

  const mayHaveLogged = ({ logsBloom }: FetchedHeader): boolean =>
    bloomMayContain(logsBloom, contract) &&
    Object.values(eventTopics).some((topic) => bloomMayContain(logsBloom, topic as Hex));

  /**
   * Nodes have answered no logs while they were still indexing a block. The block's filter says that there may be some:
   * its receipts, which the block's hash vouches for, decide.
   */
  const verified = async ({ number, hash }: FetchedHeader, logs: readonly Log[]): Promise<readonly Log[]> => {
    if (logs.length > 0) return logs;
    const receipts = await getBlockReceipts(rpc, hash, { signal });
    if (receipts === null) throw new RpcUnavailableError(`the node has no receipts of block ${number}`);
    const found = receipts.flatMap((receipt) => receipt.logs).filter((log) => log.address === contract);
    if (found.length > 0) logger.warn({ number, hash, logs: found.length }, 'the node left out the logs of a block');
    return found;
  };

  return {
    async head() {
      const block = await getBlockByNumber(rpc, 'latest', { signal });
      if (block === null) throw new RpcUnavailableError('the node has no head');
      return fetchedHeader(block);
    },

    async headers(numbers) {
      const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantityOf(number), false] }));
      return (await batch(calls))
        .map(readBlock)
        .filter((block) => block !== null)
        .map(fetchedHeader);
    },

    async withLogs(headers) {
      const asked = headers.filter(mayHaveLogged);
      const answers = await batch(
        asked.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash, address: contract }] })),
      );
      const logs = new Map<Hex, readonly Log[]>();
      for (const [i, header] of asked.entries())
        logs.set(header.hash, await verified(header, readLogs(answers[i], header.hash)));
      return headers.map(({ number, hash, parentHash, time }) => ({
        number,
        hash,
        parentHash,
        time,
        logs: (logs.get(hash) ?? []).map(chainLogOf).filter((log) => log !== undefined),
      }));
    },

    async finalized(): Promise<Place | undefined> {
      try {
        return (await getBlockByNumber(rpc, 'finalized', { signal })) ?? undefined;
      } catch (error) {
        // Nodes answer an error while nothing is final yet.
        if (!(error instanceof RpcAnswerError)) throw error;
        logger.debug({ fault: error.message }, 'the node names no final block');
        return undefined;
      }
    },
  };
}
