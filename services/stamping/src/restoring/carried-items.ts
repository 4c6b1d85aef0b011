import { eventTopics, readContractLog } from '@indelible/commitment-contract';
import {
  type ChainReader,
  createChainReader,
  type PlacedLog,
  type Rpc,
  RpcUnavailableError,
} from '@indelible/ethereum';
import { type Hex, zeroCid } from '@indelible/identifiers';

/** A transaction's effect on the contract: none when it reverted, or did something else. */
export type CarriedItems = {
  readonly objects: readonly { readonly account: Hex; readonly setCid: Hex; readonly objectCid: Hex }[];
  readonly sets: readonly { readonly account: Hex; readonly cid: Hex }[];
  readonly granted: readonly Hex[];
};

/** @throws RpcUnavailableError when the node lacks its receipt, or the receipts of its block contradict it */
export type ReadCarriedItems = (hash: Hex) => Promise<CarriedItems>;

type CarriedLog = Exclude<ReturnType<typeof eventOf>, 'undecodable' | undefined>;

export function createRestoreReader(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  /** Per request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): ChainReader<CarriedLog> {
  return createChainReader({ ...options, topics: Object.values(eventTopics) as Hex[], decode: eventOf });
}

/**
 * Reads all receipts of a transaction's block: one without its logs would have items signed into a second batch (I2).
 */
export function createItemReader(reader: Pick<ChainReader<CarriedLog>, 'ofTransaction'>): ReadCarriedItems {
  return async (hash) => {
    const found = await reader.ofTransaction(hash);
    if (found === undefined) throw new RpcUnavailableError(`the node has no receipt of ${hash}`);
    const { logs } = found;
    return {
      objects: logs.flatMap((event) => {
        if (event.kind === 'AddObject') return [{ account: event.user, setCid: zeroCid, objectCid: event.objectCid }];
        if (event.kind === 'AddSetObject')
          return [{ account: event.user, setCid: event.setCid, objectCid: event.objectCid }];
        return [];
      }),
      sets: logs.flatMap((event) => (event.kind === 'AddSet' ? [{ account: event.user, cid: event.setCid }] : [])),
      granted: logs.flatMap((event) => (event.kind === 'GrantBySignature' ? [event.user] : [])),
    };
  };
}

function eventOf(log: PlacedLog) {
  const event = readContractLog(log);
  return event === undefined || event === 'undecodable' ? event : { ...event, transactionHash: log.transactionHash };
}
