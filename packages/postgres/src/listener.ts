import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import { openWatchedSession } from './watched-session.ts';

const reconnectMs = 500;

/**
 * Receives the notifications of one channel on a separate connection, and reconnects when that is lost, also if the
 * server is silent. Not ready while disconnected: notifications of that time are lost.
 */
export function createListener(options: {
  /** Of the component, such as `log watch`. */
  readonly name: string;
  readonly url: string;
  readonly applicationName: string;
  readonly channel: string;
  readonly logger: Logger;
  /** What the session is for, in the log line of an outage: `new events`. */
  readonly listensFor: string;
  readonly onNotification: (payload: string) => void;
  /** Listens now, for the first time or again. */
  readonly onListening?: () => void;
}): Component & { ready(): boolean } {
  const { name, logger, channel } = options;
  const stopping = new AbortController();
  let running = Promise.resolve();
  let connected = false;
  const outage = createOutageLog({
    logger,
    waitingFor: `a Postgres session that listens for ${options.listensFor} (DATABASE_URL)`,
  });

  async function listenOnce(): Promise<void> {
    const session = await openWatchedSession(options);
    const ended = AbortSignal.any([stopping.signal, session.lost]);
    session.client.on('notification', ({ payload = '' }) => options.onNotification(payload));
    try {
      await session.client.query(`listen "${channel}"`);
      connected = !ended.aborted;
      outage.ended();
      options.onListening?.();
      if (!ended.aborted) await once(ended, 'abort');
    } finally {
      connected = false;
      await session.close();
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await listenOnce();
      } catch (error) {
        outage.failed(error);
      }
      await delay(reconnectMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  return {
    name,
    async start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    ready: () => connected,
  };
}
