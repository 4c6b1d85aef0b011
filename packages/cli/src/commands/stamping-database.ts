import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { type Client, createDatabase } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';

const lockRetryMs = 200;

/**
 * Runs `use` while no other command holds the lock of that name; the server frees the lock of a command that was killed.
 * @throws Error when another holds it for `waitMs`
 */
export async function whileLocked<Result>(
  url: string,
  name: string,
  waitMs: number,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const logger = createLogger({ service: 'cli', level: 'silent' });
  const database = createDatabase({
    url,
    schema: 'stamping',
    applicationName: 'indelible command',
    maxConnections: 1,
    // Nothing else waits for this transaction's locks.
    idleInTransactionMs: 3_600_000,
    logger,
  });
  const deadline = performance.now() + waitMs;
  try {
    return await database.transaction(async (client) => {
      for (;;) {
        const { rows } = await client.query<{ held: boolean }>(
          'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held',
          [name],
        );
        if (rows[0]?.held) return await use(client);
        if (performance.now() >= deadline) throw new Error(`another command (${name}) is not done`);
        await delay(lockRetryMs);
      }
    });
  } finally {
    await database.close();
  }
}

/** Draining lanes. */
export async function drainedLanes(client: Client): Promise<ReadonlySet<Hex>> {
  const { rows } = await client.query<{ lane: Buffer }>('select lane from lanes where draining');
  return new Set(rows.map(({ lane }) => hexOfBytes(lane)));
}
