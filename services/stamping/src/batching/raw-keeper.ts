import type { Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';

const atOnce = 200;

/**
 * Drops the signed bytes of transactions whose batches a final block settled: nothing broadcasts them any more. They
 * are kept for some time in case the chain reorganizes below its finality; the hashes stay forever.
 * @returns how many were dropped, `limit` at most
 */
export async function dropRaw(database: Pick<Database, 'query'>, keepDays = 1, limit = atOnce): Promise<number> {
  const { rowCount } = await database.query({
    name: 'drop-raw-transactions',
    text: `update transactions set raw = null where ctid = any(array(
             select t.ctid from transactions t cross join lateral (
               select from batches where id = t.batch_id and status in ('finalized', 'reverted', 'superseded') limit 1) as settled
             where t.raw is not null and t.stored_at < now() - make_interval(days => $1)
             order by t.stored_at limit $2))`,
    values: [keepDays, limit],
  });
  return rowCount ?? 0;
}

/** Drops them continuously, a few hundred at once, so that settled bytes take space for a day or two. */
export function createRawKeeper(options: {
  readonly database: Pick<Database, 'query'>;
  readonly logger: Logger;
  readonly everyMs?: number;
}): Component {
  let timer: NodeJS.Timeout | undefined;
  let dropping: Promise<void> = Promise.resolve();
  let stopped = false;

  async function drop(): Promise<void> {
    try {
      for (let dropped = atOnce; dropped === atOnce && !stopped; ) dropped = await dropRaw(options.database);
    } catch (error) {
      options.logger.warn(
        { err: error },
        'Signed bytes of final transactions could not be dropped; trying again later',
      );
    }
  }

  return {
    name: 'raw transaction keeper',
    async start() {
      timer = setInterval(() => {
        dropping = dropping.then(drop);
      }, options.everyMs ?? 600_000);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await dropping;
    },
  };
}
