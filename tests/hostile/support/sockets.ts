import { connect, type Socket } from 'node:net';
import type { Api } from '../../contract/support/api.ts';
import { bytesOf } from '../../contract/support/raw-http.ts';

/** Sends bytes on a new connection and resets it once they are written. Resolves when it is closed. */
export function sendThenReset(port: number, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.write(bytes, () => socket.resetAndDestroy());
  });
}

/** A connection that has sent these bytes and stalls until it is destroyed. */
export function standStill(port: number, bytes: string | Buffer): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(bytes, () => resolve(socket));
  });
}

/** A client that reads a response at the slowest allowed pace. */
export type SlowReader = {
  /** There is more of its answer to come. */
  isReading(): boolean;
  stop(): void;
};

/**
 * Sends a JSON body, and reads some KiB a second of the response. Resolves when the response has begun; it must be a
 * 200.
 */
export function startSlowReader(api: Api, path: string, body: unknown): Promise<SlowReader> {
  return new Promise((resolve, reject) => {
    const socket = connect(api.port, '127.0.0.1');
    const headers = [api.authorization, 'Content-Type: application/json'];
    socket.write(bytesOf({ path: `/api/v1${path}`, headers, body: JSON.stringify(body) }));
    let isOpen = true;
    socket
      .on('error', () => {})
      .once('close', () => {
        isOpen = false;
      });
    socket.once('readable', () => {
      const begin = String(socket.read(1_024));
      if (!begin.startsWith('HTTP/1.1 200')) return reject(new Error(begin));
      const turn = setInterval(() => void socket.read(2_048), 250);
      socket.once('close', () => clearInterval(turn));
      resolve({ isReading: () => isOpen, stop: () => void socket.destroy() });
    });
  });
}
