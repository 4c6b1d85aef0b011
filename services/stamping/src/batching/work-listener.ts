import { setTimeout as delay } from 'node:timers/promises';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import pg from 'pg';
import { type Work, workChannel } from '../work-channel.ts';

/**
 * Hears on a connection of its own that something waits for a batch, and wakes every lane. After a lost connection it
 * wakes them all the same: what was announced in between was not heard.
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
    const session = new pg.Client({
      connectionString: options.databaseUrl,
      application_name: 'stamping work listener',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    const lost = Promise.withResolvers<void>();
    session.on('error', () => lost.resolve());
    session.on('end', () => lost.resolve());
    session.on('notification', ({ payload }) => options.onWork(payload === 'rebroadcast' ? 'rebroadcast' : 'waiting'));
    await session.connect();
    try {
      await session.query(`listen "${workChannel}"`);
      connected = true;
      outage.ended();
      options.onWork('rebroadcast');
      stopping.signal.addEventListener('abort', () => lost.resolve(), { once: true });
      await lost.promise;
    } finally {
      connected = false;
      await session.end().catch(() => {});
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
