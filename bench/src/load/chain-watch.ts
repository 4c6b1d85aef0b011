import { once } from 'node:events';

/** When the node first announced heads and transactions, by `performance.now()`. */
export type ChainWatch = {
  /** By block number. */
  readonly heads: ReadonlyMap<number, number>;
  /** By hash, while it waits for a block. */
  readonly pending: ReadonlyMap<string, number>;
  close(): void;
};

const openWithinMs = 10_000;

/** Subscribes to new heads and pending transactions. @throws Error when the node refuses */
export async function watchChain(rpcUrl: string): Promise<ChainWatch> {
  const heads = new Map<number, number>();
  const pending = new Map<string, number>();
  const socket = new WebSocket(rpcUrl.replace(/^http/, 'ws'));
  const signal = AbortSignal.timeout(openWithinMs);
  await once(socket, 'open', { signal });
  const subscriptions: string[] = [];
  const subscribed = new Promise<void>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => {
      const at = performance.now();
      const message = JSON.parse(String(data)) as Message;
      if ('error' in message) reject(new Error(`the node takes no subscription: ${JSON.stringify(message.error)}`));
      else if ('result' in message) {
        subscriptions[message.id] = message.result;
        if (subscriptions[0] !== undefined && subscriptions[1] !== undefined) resolve();
      } else {
        const { result } = message.params;
        if (typeof result === 'string') keepFirst(pending, result, at);
        else keepFirst(heads, Number(result.number), at);
      }
    });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  for (const [id, what] of ['newHeads', 'newPendingTransactions'].entries())
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: [what] }));
  await subscribed;
  return { heads, pending, close: () => socket.close() };
}

type Message =
  | { readonly error: unknown }
  | { readonly id: number; readonly result: string }
  | { readonly params: { readonly result: string | { readonly number: string } } };

function keepFirst<Key>(times: Map<Key, number>, key: Key, at: number): void {
  if (!times.has(key)) times.set(key, at);
}
