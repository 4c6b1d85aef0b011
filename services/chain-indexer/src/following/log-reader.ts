import { createReceiptReader, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Logger } from '@indelible/service-runtime';
import { type ContractLogs, collectLogs } from '../decisions/contract-logs.ts';
import type { FetchedHeader } from './ports.ts';

/** Blocks read side by side: each may hold some megabytes at a time. */
const readAhead = 3;

/**
 * Reads what the contract logged, by receipts: filtered logs (eth_getLogs) come from an index that nodes fill later than
 * their chain, and a part of them that is missing cannot be seen. A few blocks are read ahead; those that are not fetched
 * of one list are kept for the next.
 */
export function createLogReader(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}): (headers: readonly FetchedHeader[]) => (header: FetchedHeader) => Promise<ContractLogs> {
  const { contract } = options;
  const receiptsOf = createReceiptReader(options);

  const read = async (header: FetchedHeader): Promise<ContractLogs> => {
    const collector = collectLogs(header, contract);
    for await (const part of receiptsOf(header))
      if (part.kind === 'receipts') collector.take(part.receipts);
      else collector.takeIndexed(part.transactionHash, part.indexedLogs);
    return collector.finish();
  };

  let ahead = new Map<Hex, Promise<ContractLogs>>();
  return (headers) => {
    ahead = new Map([...ahead].filter(([hash]) => headers.some((header) => header.hash === hash)));
    const reading = ahead;
    const begin = (header: FetchedHeader): Promise<ContractLogs> => {
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
