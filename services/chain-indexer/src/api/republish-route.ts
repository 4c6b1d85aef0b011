import type { Database } from '@indelible/postgres';
import { json, Router } from 'express';
import { requestRepublish } from '../following/republish-queries.ts';

/**
 * `POST /internal/blocks/republish {"from": 17}` → 202 `{"from": 17}`: the leader publishes the blocks of the canonical chain
 * again from that number on, or from a lower one that is requested already. On any replica; 503 before the first block and
 * while Postgres is unavailable.
 */
export function republishRoute(database: Pick<Database, 'query'>, chainId: number): Router {
  const router = Router();
  router.post('/internal/blocks/republish', json({ limit: 1_024, type: () => true }), async (request, response) => {
    const from: unknown = (request.body as { from?: unknown } | undefined)?.from;
    if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0) {
      response.status(400).json({ error: 'from must be the number of a block' });
      return;
    }
    const begins = await requestRepublish(database, chainId, from).catch(() => undefined);
    if (begins === undefined) response.status(503).set('Retry-After', '1').json({ error: 'no block is stored yet' });
    else response.status(202).json({ from: begins });
  });
  return router;
}
