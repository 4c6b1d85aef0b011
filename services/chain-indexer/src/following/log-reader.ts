import { type Rpc, RpcAnswerError, RpcUnavailableError } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';
import type { Logger } from '@indelible/service-runtime';
import { contractLogsOf } from '../decisions/contract-logs.ts';
import type { FetchedHeader } from './ports.ts';

/** Blocks asked for side by side: each answer may be of some megabytes. */
const readAhead = 3;
const callsPerBatch = 50;
/** JSON-RPC's code for a method that the node does not have. */
const methodNotFound = -32601;

/**
 * Reads what the contract logged, by receipts: filtered logs (eth_getLogs) come from an index that nodes fill later than
 * their chain, and a part of them that is missing cannot be seen. A few blocks are read ahead; those that are not fetched
 * of one list are kept for the next.
 */
export function createLogReader(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}): (headers: readonly FetchedHeader[]) => (header: FetchedHeader) => Promise<readonly ChainLog[]> {
  const { rpc, contract, signal, logger } = options;
  let onlySingly = false;

  /** By nodes that have no eth_getBlockReceipts. */
  const receiptsSingly = async (header: FetchedHeader): Promise<readonly unknown[]> => {
    const block = await rpc.call<{ transactions?: unknown } | null>('eth_getBlockByHash', [header.hash, false], {
      signal,
    });
    if (!Array.isArray(block?.transactions)) throw new RpcUnavailableError(`the node has no block ${header.number}`);
    const calls = block.transactions.map((hash: unknown) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    const receipts: unknown[] = [];
    for (let at = 0; at < calls.length; at += callsPerBatch)
      for (const outcome of await rpc.batch(calls.slice(at, at + callsPerBatch), { signal })) {
        if (!outcome.ok) throw outcome.error;
        receipts.push(outcome.result);
      }
    return receipts;
  };

  const receiptsOf = async (header: FetchedHeader): Promise<unknown> => {
    if (onlySingly) return receiptsSingly(header);
    try {
      return await rpc.call<unknown>('eth_getBlockReceipts', [header.hash], { signal });
    } catch (error) {
      if (!(error instanceof RpcAnswerError) || error.code !== methodNotFound) throw error;
      logger.warn({ fault: error.message }, 'the node has no eth_getBlockReceipts; receipts are asked for singly');
      onlySingly = true;
      return receiptsSingly(header);
    }
  };

  const read = async (header: FetchedHeader): Promise<readonly ChainLog[]> =>
    contractLogsOf(await receiptsOf(header), header, contract);

  let ahead = new Map<Hex, Promise<readonly ChainLog[]>>();
  return (headers) => {
    ahead = new Map([...ahead].filter(([hash]) => headers.some((header) => header.hash === hash)));
    const reading = ahead;
    const begin = (header: FetchedHeader): Promise<readonly ChainLog[]> => {
      const begun = reading.get(header.hash) ?? read(header);
      reading.set(header.hash, begun);
      // It may be awaited late, or never; a fault is not kept for the next who asks.
      begun.catch(() => reading.delete(header.hash));
      return begun;
    };
    return (header) => {
      const place = headers.findIndex(({ hash }) => hash === header.hash);
      for (const next of headers.slice(place, place + readAhead)) begin(next);
      const logs = begin(header);
      reading.delete(header.hash);
      return logs;
    };
  };
}
