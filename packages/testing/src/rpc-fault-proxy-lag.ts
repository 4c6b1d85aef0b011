import type { ProxiedAnswer, ProxiedCall } from './rpc-fault-proxy-faults.ts';

/** Queries the node. */
export type AskNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** The index of a method's block parameter. */
const blockParameters: ReadonlyMap<string, number> = new Map([
  ['eth_getBlockByNumber', 0],
  ['eth_getTransactionCount', 1],
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_call', 1],
]);

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Answers like a node without the newest `blocks`; undefined where the node's own answer is right. */
export async function answerWithLag(
  call: ProxiedCall,
  blocks: number,
  ask: AskNode,
): Promise<ProxiedAnswer | undefined> {
  const head = Math.max(0, Number(await ask('eth_blockNumber', [])) - blocks);
  const result = (value: unknown): ProxiedAnswer => ({ jsonrpc: '2.0', id: call.id, result: value });
  const isAhead = (value: unknown, field: string): boolean => Number(fieldOf(value, field) ?? -1) > head;
  const { method, params } = call;

  if (method === 'eth_blockNumber') return result(`0x${head.toString(16)}`);
  const at = blockParameters.get(method);
  if (at !== undefined) {
    const block = params[at];
    if (block === 'latest' || block === 'pending') {
      const held = [...params.slice(0, at), `0x${head.toString(16)}`, ...params.slice(at + 1)];
      return result(await ask(method, held));
    }
    if (typeof block !== 'string' || !block.startsWith('0x') || Number(block) <= head) return undefined;
    if (method === 'eth_getBlockByNumber') return result(null);
    return { jsonrpc: '2.0', id: call.id, error: { code: -32000, message: 'header not found' } };
  }
  switch (method) {
    case 'eth_getTransactionReceipt':
      return isAhead(await ask(method, params), 'blockNumber') ? result(null) : undefined;
    case 'eth_getBlockByHash':
      return isAhead(await ask(method, params), 'number') ? result(null) : undefined;
    case 'eth_getTransactionByHash': {
      const known = await ask(method, params);
      if (!isAhead(known, 'blockNumber')) return undefined;
      return result({ ...(known as object), blockHash: null, blockNumber: null, transactionIndex: null });
    }
    case 'eth_getBlockReceipts':
    case 'eth_getLogs': {
      const hash = method === 'eth_getLogs' ? fieldOf(params[0], 'blockHash') : params[0];
      if (typeof hash !== 'string') return undefined;
      if (!isAhead(await ask('eth_getBlockByHash', [hash, false]), 'number')) return undefined;
      if (method === 'eth_getBlockReceipts') return result(null);
      return { jsonrpc: '2.0', id: call.id, error: { code: -32000, message: 'unknown block' } };
    }
    default:
      return undefined;
  }
}
