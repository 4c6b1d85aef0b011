import type { Database } from '@indelible/postgres';
import { fail, type RouteHandler } from '@indelible/service-runtime';
import { json } from 'express';
import { requestRepublish } from '../following/republish-queries.ts';

/**
 * `POST /internal/blocks/republish {"from": 17}` → 202 `{"from": 17}`: the leader republishes the blocks of the
 * canonical chain from that number, or from a lower one already requested. On any replica; 503 before the first block
 * and while Postgres is unavailable.
 */
export const republishRoute = (database: Pick<Database, 'query'>, chainId: number): RouteHandler => [
  json({ limit: 1_024, type: () => true }),
  async (request, response) => {
    const from: unknown = (request.body as { from?: unknown } | undefined)?.from;
    if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0)
      return fail(response, 400, 'from must be the number of a block');
    const begins = await requestRepublish(database, chainId, from).catch(() => undefined);
    if (begins === undefined) response.status(503).set('Retry-After', '1').json({ error: 'no block is stored yet' });
    else response.status(202).json({ from: begins });
  },
];
