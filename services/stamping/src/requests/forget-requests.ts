import type { Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';

/** A request that made no stamp is known for so long. */
export const requestDays = 30;
const atOnce = 5_000;

/**
 * Forgets the events of requests that were refused, or joined or repeated a stamp, once they are published and old: what they
 * say is of use while a client may look for what became of its request, and nothing is derived from it later.
 * @returns how many, at most `limit`
 */
export async function forgetRequests(database: Pick<Database, 'query'>, limit = atOnce): Promise<number> {
  const { rowCount } = await database.query(
    `delete from events where ctid = any(array(
       select e.ctid from events e
       where e.type in ('StampRequestRefused', 'StampRequestJoined') and e.recorded_at < now() - make_interval(days => $1)
         and (e.transaction_id, e.position) <= (select transaction_id, position from relay_cursor)
         and not exists (select from relay_held h where h.stream = e.stream)
       order by e.recorded_at limit $2))`,
    [requestDays, limit],
  );
  return rowCount ?? 0;
}

/** Does so every hour, in bounded steps; any replica may. */
export function createRequestKeeper(options: {
  readonly database: Pick<Database, 'query'>;
  readonly logger: Logger;
  readonly everyMs?: number;
}): Component {
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let stopped = false;

  async function forget(): Promise<void> {
    let events = 0;
    try {
      for (let some = atOnce; some === atOnce && !stopped; events += some)
        some = await forgetRequests(options.database);
    } catch (error) {
      options.logger.warn({ err: error }, 'Old requests could not be forgotten; trying again later');
    }
    if (events > 0) options.logger.info({ events }, 'Old requests forgotten');
    round = undefined;
  }

  return {
    name: 'keeper of old requests',
    async start() {
      timer = setInterval(() => {
        round ??= forget();
      }, options.everyMs ?? 3_600_000);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await round;
    },
  };
}
