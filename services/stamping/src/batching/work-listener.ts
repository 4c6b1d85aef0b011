import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { openWatchedSession } from '@indelible/postgres';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import { type Work, workChannel } from '../work-channel.ts';

/**
 * Listens on a connection of its own for work that waits for a batch, and wakes every lane. After a lost connection, which it
 * notices within seconds also of a silent server, it wakes them all: what was announced in between was not received.
 */
export function createWorkListener(options: {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly onWork: (work: Work) => void;
}): Component {
  const stopping = new AbortController();
  let running = Promise.resolve();
  let connected = false;

  async function listenOnce(): Promise<void> {
    const session = await openWatchedSession({
      url: options.databaseUrl,
      applicationName: 'stamping work listener',
    });
    const ended = AbortSignal.any([stopping.signal, session.lost]);
    const { client } = session;
    client.on('notification', ({ payload }) => options.onWork(payload === 'rebroadcast' ? 'rebroadcast' : 'waiting'));
    try {
      await client.query(`listen "${workChannel}"`);
      connected = !ended.aborted;
      outage.ended();
      options.onWork('rebroadcast');
      if (!ended.aborted) await once(ended, 'abort');
    } finally {
      connected = false;
      await session.close();
    }
  }

  const outage = createOutageLog({
    logger: options.logger,
    waitingFor: 'a Postgres session that hears of new work (DATABASE_URL)',
  });

  return {
    name: 'work listener',
    async start() {
      running = (async () => {
        while (!stopping.signal.aborted) {
          try {
            await listenOnce();
          } catch (error) {
            outage.failed(error);
          }
          await delay(500, undefined, { signal: stopping.signal }).catch(() => {});
        }
      })();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    ready: () => connected,
  };
}
