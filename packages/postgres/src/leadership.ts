import { setTimeout as delay } from 'node:timers/promises';
import { type Component, createOutageLog, type Logger, reasonOf } from '@indelible/service-runtime';
import pg from 'pg';
import { keepAliveInitialDelayMillis } from './database.ts';

/**
 * One leader among replicas: whoever holds the advisory lock on a connection of its own runs `lead` until the
 * connection ends; the others ask again every `retryMs`. A leader that stands still, or that the server cannot hear,
 * loses the lead after `silenceMs`: the server then ends its session. It learns so only later, so what it writes must be
 * guarded by more than this (a compare-and-set, a fencing token, an inbox).
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
    const session = new pg.Client({
      connectionString: options.url,
      application_name: `leader of ${name}`,
      keepAlive: true,
      keepAliveInitialDelayMillis,
      query_timeout: 10_000,
      connectionTimeoutMillis: 5_000,
    });
    const lost = new AbortController();
    session.on('error', () => lost.abort());
    session.on('end', () => lost.abort());
    connected = false;
    await session.connect();
    connected = true;
    outage.ended();
    const speaking = setInterval(() => void session.query('select').catch(() => {}), silenceMs / 4);
    try {
      await session.query(`set idle_session_timeout = ${Math.ceil(silenceMs)}`);
      const signal = AbortSignal.any([stopping.signal, lost.signal]);
      while (!(await tryLock(session, name))) await delay(options.retryMs ?? 2_000, undefined, { signal });
      leading = true;
      logger.info({ name }, 'leading');
      await options.lead(session, signal);
    } finally {
      leading = false;
      clearInterval(speaking);
      await session.end().catch(() => {});
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
        if (connected) logger.warn({ name, reason: reasonOf(error) }, 'lost the lead; trying again');
        else outage.failed(error);
        await delay(500, undefined, { signal: stopping.signal }).catch(() => {});
      }
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
