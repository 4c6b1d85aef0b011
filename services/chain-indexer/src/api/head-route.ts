import { hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { RouteHandler } from '@indelible/service-runtime';

/**
 * `GET /internal/head` → `{chainId, number, hash, time, finalized}`: how far the chain is stored, on any replica; 503
 * before the first block and while Postgres is unreachable.
 */
export const headRoute =
  (database: Pick<Database, 'query'>, chainId: number): RouteHandler =>
  async (_request, response) => {
    const head = await readHead(database, chainId).catch(() => undefined);
    if (head === undefined) response.status(503).set('Retry-After', '1').json({ error: 'no block is stored yet' });
    else response.json(head);
  };

async function readHead(database: Pick<Database, 'query'>, chainId: number) {
  const { rows } = await database.query<{ number: number; hash: Buffer; time: number; finalized: number }>({
    name: 'internal-head',
    text: `select c.number, c.hash, b.time, c.finalized_number as finalized
           from cursor c join blocks b on b.chain_id = c.chain_id and b.number = c.number
           where c.chain_id = $1 and c.version > 0`,
    values: [chainId],
  });
  const [row] = rows;
  return row === undefined ? undefined : { chainId, ...row, hash: hexOfBytes(row.hash) };
}
