import { Socket } from 'node:net';
import { settlesWithin } from '@indelible/service-runtime';
import pg from 'pg';
import { keepAliveInitialDelayMillis } from './database.ts';
import { sessionAddress } from './session-address.ts';

export type WatchedSession = {
  readonly client: pg.Client;
  /** Aborts when the connection ended or broke, or the server did not answer a probe in time. */
  readonly lost: AbortSignal;
  /** Ends the session; never rejects, and waits for a silent server no longer than a second. */
  close(): Promise<void>;
};

const leaveMs = 1_000;
const minProbeMs = 1_000;

/**
 * A separate connection, for a lock or LISTEN, whose loss is noticed: it is probed every quarter of `silenceMs`, and
 * lost when a probe gets no response within half of it (at least a second). The kernel would need a quarter of an hour
 * to notice a dead peer.
 * @throws when it cannot connect within 5 s
 */
export async function openWatchedSession(options: {
  readonly url: string;
  readonly applicationName: string;
  /** Default 10,000. */
  readonly silenceMs?: number;
}): Promise<WatchedSession> {
  const { silenceMs = 10_000 } = options;
  const socket = new Socket();
  const client = new pg.Client({
    ...sessionAddress(options.url),
    application_name: options.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    query_timeout: Math.max(silenceMs / 2, minProbeMs),
    connectionTimeoutMillis: 5_000,
    stream: () => socket,
  });
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const probing = setInterval(() => void client.query('select').catch(() => lost.abort()), silenceMs / 4);
  return {
    client,
    lost: lost.signal,
    async close() {
      clearInterval(probing);
      await settlesWithin(leaveMs, client.end());
      socket.destroy();
    },
  };
}
