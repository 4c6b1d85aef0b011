import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';

/** Lanes without a configured key that have batches no final block settled, and how many. */
export async function findUnservedLanes(
  database: Pick<Database, 'query'>,
  chainId: number,
  served: readonly Hex[],
): Promise<readonly { readonly lane: Hex; readonly batches: number }[]> {
  const { rows } = await database.query<{ lane: Buffer; batches: number }>(
    `select l.lane, own.batches from lanes l cross join lateral (
       select (select count(*) from batches where lane = l.lane and status = 'signed')
         + (select count(*) from batches where lane = l.lane and status = 'included') as batches) as own
     where l.chain_id = $1 and l.lane <> all($2::bytea[]) and own.batches > 0`,
    [chainId, arrayOf.bytea(served)],
  );
  return rows.map(({ lane, batches }) => ({ lane: hexOfBytes(lane), batches }));
}

const lookedEveryMs = 60_000;
const soonMs = 1_000;
const toldEveryMs = 600_000;

/**
 * Reports, at the start and now and then, lanes whose key is no longer configured: LANES was lowered, or the seed
 * changed. Their transactions are not broadcast or replaced until the key is configured again; what the chain decided
 * is still settled.
 */
export function createUnservedLanesWatch(options: {
  readonly database: Pick<Database, 'query'>;
  readonly chainId: number;
  /** Undefined while the address of one is not known. */
  readonly served: () => readonly Hex[] | undefined;
  readonly settle: (lane: Hex, signal: AbortSignal) => Promise<void>;
  readonly onFound: (batches: number) => void;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}): Component {
  const { database, chainId, logger } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let toldAt = Number.NEGATIVE_INFINITY;

  async function lookOnce(served: readonly Hex[]): Promise<void> {
    const found = await findUnservedLanes(database, chainId, served);
    options.onFound(found.reduce((sum, { batches }) => sum + batches, 0));
    const isDue = found.length > 0 && options.now() - toldAt >= toldEveryMs;
    if (isDue) toldAt = options.now();
    for (const { lane, batches } of found) {
      if (isDue)
        logger.error(
          { lane, batches },
          'Lane with batches under way has no key here: raise LANES, or configure the seed it was made from',
        );
      await options.settle(lane, stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted)
          logger.warn({ lane, err: error }, 'Batches of a lane without a key could not be settled; trying again later');
      });
    }
  }

  async function look(): Promise<void> {
    const served = options.served();
    try {
      if (served !== undefined) await lookOnce(served);
    } catch (error) {
      logger.warn({ err: error }, 'Lanes without a key could not be read; trying again later');
    }
    if (stopping.signal.aborted) return;
    timer = setTimeout(
      () => {
        looking = look();
      },
      served === undefined ? soonMs : lookedEveryMs,
    );
  }

  return {
    name: 'unserved lanes watch',
    async start() {
      looking = look();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}
