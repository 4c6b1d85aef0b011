import { connect } from 'node:net';

/** A response's status and body; the body as latin1, which is exact for ASCII JSON. */
export type OnAnswer = (status: number, body: string) => void;

/** A keep-alive connection: one request at a time, no pipelining. */
export type Connection = { send(request: string, onAnswer: OnAnswer): void; close(): void };

const bufferBytes = 4_096;
const endOfHead = '\r\n\r\n';
const lengthHeader = /\r\ncontent-length: *(\d+)/i;

/**
 * HTTP/1.1 on the bare socket, since the client shares cores with what it measures. Responses need a Content-Length.
 * @param onFault called when a connection breaks or receives something else, unless it was closed here
 * @throws Error when it cannot be opened
 */
export function openConnection(
  { host, port }: { readonly host: string; readonly port: number },
  onFault: (fault: Error) => void,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let waiting: OnAnswer | undefined;
    let text = '';
    let isOpen = false;
    let isOver = false;
    const fail = (fault: Error): void => {
      if (isOver) return;
      isOver = true;
      socket.destroy();
      if (isOpen) onFault(fault);
      else reject(fault);
    };
    const take = (bytes: number, buffer: Uint8Array): boolean => {
      text += (buffer as Buffer).toString('latin1', 0, bytes);
      const headEnd = text.indexOf(endOfHead);
      if (headEnd < 0) return true;
      const length = Number(lengthHeader.exec(text.slice(0, headEnd))?.[1]);
      const body = text.slice(headEnd + endOfHead.length);
      if (body.length < length) return true;
      const answered = waiting;
      if (answered === undefined || body.length !== length) {
        fail(new Error(`an unexpected response, or one without Content-Length: ${text.slice(0, 300)}`));
        return false;
      }
      const status = Number(text.slice(9, 12));
      waiting = undefined;
      text = '';
      answered(status, body);
      return true;
    };
    const socket = connect({ host, port, onread: { buffer: Buffer.allocUnsafeSlow(bufferBytes), callback: take } });
    socket.setNoDelay(true);
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('the connection was closed')));
    socket.once('connect', () => {
      isOpen = true;
      resolve({
        send(request, onAnswer) {
          waiting = onAnswer;
          socket.write(request, 'latin1');
        },
        close() {
          isOver = true;
          socket.destroy();
        },
      });
    });
  });
}

/** Connections opened at the same time: a server's queue of connections to accept is short. */
const openedAtOnce = 128;

/** Opens many connections. @throws Error when one fails, after closing the others */
export async function openConnections(
  rootUrl: string,
  count: number,
  onFault: (fault: Error) => void,
): Promise<Connection[]> {
  const { hostname: host, port } = new URL(rootUrl);
  const connections: Connection[] = [];
  try {
    while (connections.length < count) {
      const some = Array.from({ length: Math.min(openedAtOnce, count - connections.length) }, async () => {
        connections.push(await openConnection({ host, port: Number(port) }, onFault));
      });
      await Promise.allSettled(some);
      await Promise.all(some);
    }
    return connections;
  } catch (error) {
    for (const connection of connections) connection.close();
    throw error;
  }
}
