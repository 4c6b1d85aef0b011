import { setTimeout as delay } from 'node:timers/promises';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import type pg from 'pg';
import { openWatchedSession } from './watched-session.ts';

/**
 * One leader among replicas: the holder of the advisory lock on a separate connection runs `lead` until the connection
 * ends; the others retry every `retryMs`. A leader that hangs, or that the server cannot reach, loses the lead after
 * `silenceMs`: the server then ends its session. A leader that cannot reach the server stops leading within three
 * quarters of that time; one that hangs learns it only later, so its writes need another guard (a compare-and-set, a
 * fencing token, an inbox).
 */
export function createLeadership(options: {
  readonly url: string;
  /** What is led, unique in the database, such as `stamping.relay`. */
  readonly name: string;
  readonly logger: Logger;
  /** Runs while leading; `session` is the connection that holds the lock, for LISTEN. Returns when `signal` aborts. */
  readonly lead: (session: pg.Client, signal: AbortSignal) => Promise<void>;
  readonly retryMs?: number;
  /** Default 10,000. */
  readonly silenceMs?: number;
}): Component & { leading(): boolean } {
  const { logger, name, silenceMs = 10_000 } = options;
  const stopping = new AbortController();
  let leading = false;
  let connected = false;
  let running: Promise<void> = Promise.resolve();

  async function holdOnce(): Promise<void> {
    connected = false;
    const session = await openWatchedSession({ url: options.url, applicationName: `leader of ${name}`, silenceMs });
    connected = true;
    outage.ended();
    const signal = AbortSignal.any([stopping.signal, session.lost]);
    try {
      await session.client.query(`set idle_session_timeout = ${Math.ceil(silenceMs)}`);
      while (!(await tryLock(session.client, name))) await delay(options.retryMs ?? 2_000, undefined, { signal });
      leading = true;
      logger.info({ name }, 'leading');
      await options.lead(session.client, signal);
      if (session.lost.aborted && !stopping.signal.aborted) logger.warn({ name }, 'lead lost: no answer from Postgres');
    } finally {
      leading = false;
      await session.close();
    }
  }

  const outage = createOutageLog({
    logger,
    waitingFor: `a Postgres session to lead ${name} (DATABASE_URL)`,
    fields: { name },
  });

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await holdOnce();
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (connected) logger.warn({ name, err: error }, 'lost the lead; trying again');
        else outage.failed(error);
      }
      await delay(500, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  return {
    name: `leadership of ${name}`,
    async start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    leading: () => leading,
  };
}

async function tryLock(session: pg.Client, name: string): Promise<boolean> {
  const { rows } = await session.query<{ held: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
    [name],
  );
  return rows[0]?.held === true;
}
