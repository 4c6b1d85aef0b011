import { connect, type Socket } from 'node:net';

/** Sends bytes on a connection of its own and resets it once they are written. Resolves when it is closed. */
export function sendThenReset(port: number, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.write(bytes, () => socket.resetAndDestroy());
  });
}

/** A connection that has sent these bytes and neither sends nor reads more, until it is destroyed. */
export function standStill(port: number, bytes: string | Buffer): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(bytes, () => resolve(socket));
  });
}
