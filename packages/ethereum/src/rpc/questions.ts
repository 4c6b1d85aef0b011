import type { RpcCall } from './port.ts';

/** What a request needs of the node that answers it. */
export type Need = {
  /** It may be sent twice, to several nodes, without effect. */
  readonly isRead: boolean;
  /** `latest`: the chain's end, as far as seen; a number: that block; `none`: any node will do. */
  readonly head: 'latest' | 'none' | number;
};

/** The block parameter's place in the methods that have one. */
const blockParameters: ReadonlyMap<string, number> = new Map([
  ['eth_getBlockByNumber', 0],
  ['eth_getBlockTransactionCountByNumber', 0],
  ['eth_getTransactionCount', 1],
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_call', 1],
  ['eth_estimateGas', 1],
  ['eth_getStorageAt', 2],
  ['eth_getProof', 2],
  ['eth_feeHistory', 1],
  ['eth_simulateV1', 1],
  ['eth_createAccessList', 1],
]);

/** Reads of the chain's end, and reads by hash, for which a lagging node returns nothing. */
const latestReads: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
]);

const plainReads: ReadonlySet<string> = new Set([
  'eth_chainId',
  'eth_syncing',
  'net_version',
  'web3_clientVersion',
  'rpc_modules',
]);

const needOfCall = ({ method, params }: RpcCall): Need => {
  const at = blockParameters.get(method);
  if (at !== undefined) {
    const number = blockNumber(params[at]);
    return { isRead: true, head: number ?? (params[at] === 'earliest' ? 'none' : 'latest') };
  }
  if (latestReads.has(method)) return { isRead: true, head: 'latest' };
  return { isRead: plainReads.has(method), head: 'none' };
};

/** The need of all calls of one request together. */
export function needOf(calls: readonly RpcCall[]): Need {
  const needs = calls.map(needOfCall);
  let highest: Need['head'] = 'none';
  for (const { head } of needs) {
    if (head === 'latest') highest = 'latest';
    else if (head !== 'none' && highest !== 'latest') highest = Math.max(head, highest === 'none' ? 0 : highest);
  }
  return { isRead: needs.every(({ isRead }) => isRead), head: highest };
}

/**
 * Whether the response is `null` though this client knows the block, or its hash: the node does not have it yet, or no
 * longer; another may.
 */
export function isDoubtful({ method, params }: RpcCall, result: unknown, seenHead: number): boolean {
  if (result !== null) return false;
  if (method === 'eth_getBlockByHash' || method === 'eth_getBlockReceipts') return true;
  if (method !== 'eth_getBlockByNumber') return false;
  const number = blockNumber(params[0]);
  return number !== undefined && number <= seenHead;
}

/** The number of the chain's head, if the response has it. */
export function reportedHead({ method, params }: RpcCall, result: unknown): number | undefined {
  if (method === 'eth_blockNumber') return blockNumber(result);
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return undefined;
  return typeof result === 'object' && result !== null && 'number' in result ? blockNumber(result.number) : undefined;
}

function blockNumber(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,13}$/.test(value)) return undefined;
  return Number(value);
}
