import WebSocket from 'ws';
import { type Head, readHead } from '../reads/blocks.ts';

export type SubscriptionSettings = {
  /** ws or wss. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** The node accepted the subscription. */
  readonly onOpen: () => void;
  readonly onHead: (head: Head) => void;
};

const handshakeTimeoutMs = 5_000;
const pingIntervalMs = 15_000;
const maxMessageBytes = 4 * 1024 * 1024;

/**
 * Subscribes to new heads until the connection ends, for whatever reason (the signal, the node, silence after a ping).
 * @returns a sentence saying why it ended; never rejects
 */
export function subscribeNewHeads({ url, signal, onOpen, onHead }: SubscriptionSettings): Promise<string> {
  if (signal.aborted) return Promise.resolve('aborted');
  return new Promise((resolve) => {
    let why = 'closed by the node';
    let heard = true;
    const socket = new WebSocket(url, { handshakeTimeout: handshakeTimeoutMs, maxPayload: maxMessageBytes });
    const end = (reason: string): void => {
      why = reason;
      socket.terminate();
    };
    const onAbort = (): void => end('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    const pings = setInterval(() => {
      if (!heard) return end('silent');
      heard = false;
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }, pingIntervalMs);

    socket.on('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'));
    socket.on('pong', () => {
      heard = true;
    });
    socket.on('message', (data) => {
      heard = true;
      try {
        const message: unknown = JSON.parse(data.toString());
        const subscribed = resultOf(message);
        if (subscribed === false) return end('the node refused the subscription');
        if (subscribed === true) return onOpen();
        onHead(readHead(notificationOf(message)));
      } catch {
        end('the node sent something else than a header');
      }
    });
    socket.on('error', (error) => {
      why = error.message;
    });
    socket.on('close', () => {
      clearInterval(pings);
      signal.removeEventListener('abort', onAbort);
      resolve(why);
    });
  });
}

type Message = { readonly id?: unknown; readonly result?: unknown; readonly params?: { readonly result?: unknown } };

/** Whether the subscription was accepted; undefined if the message is no response to it. */
const resultOf = (message: unknown): boolean | undefined => {
  const { id, result } = message as Message;
  return id === 1 ? typeof result === 'string' : undefined;
};

const notificationOf = (message: unknown): unknown => (message as Message).params?.result;
