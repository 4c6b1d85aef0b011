import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';

/** Lanes of which no key serves that have batches no final block has settled, and how many of these. */
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

const lookedEveryMs = 600_000;
const soonMs = 1_000;

/**
 * Says at the start, and now and then, what nobody tends any more: LANES was lowered, or the seed is another. Nothing of such
 * a lane is broadcast, replaced or settled until its key is configured again.
 */
export function createUnservedLanesWatch(options: {
  readonly database: Pick<Database, 'query'>;
  readonly chainId: number;
  /** Undefined while the address of one is not known. */
  readonly served: () => readonly Hex[] | undefined;
  readonly onFound: (batches: number) => void;
  readonly logger: Logger;
}): Component {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const served = options.served();
    timer = setTimeout(
      () => {
        looking = look();
      },
      served === undefined ? soonMs : lookedEveryMs,
    );
    if (served === undefined) return;
    try {
      const found = await findUnservedLanes(options.database, options.chainId, served);
      options.onFound(found.reduce((sum, { batches }) => sum + batches, 0));
      for (const { lane, batches } of found)
        options.logger.error(
          { lane, batches },
          'a lane with batches under way has no key here: raise LANES, or configure the seed it was made from',
        );
    } catch (error) {
      options.logger.warn({ err: error }, 'lanes without a key could not be looked for; trying again later');
    }
  }

  return {
    name: 'unserved lanes watch',
    async start() {
      looking = look();
    },
    async stop() {
      clearTimeout(timer);
      await looking;
    },
  };
}
