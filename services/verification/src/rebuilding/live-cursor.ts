import { RebuildError } from '@indelible/event-store';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';

export type LiveCursor = {
  readonly number: number;
  readonly hash: Hex;
  /** Parts of the next block are in already. */
  readonly open: boolean;
  readonly finalized: number | null;
};

/**
 * The live projection's cursor, on its only chain.
 * @throws RebuildError when it has no cursor, or cursors of other chains, which this chain's node does not know
 */
export async function readLiveCursor(
  client: Pick<Client, 'query'>,
  schema: string,
  chainId: number,
): Promise<LiveCursor> {
  const { rows } = await client.query<{
    chain_id: number;
    number: number;
    hash: Buffer;
    open: boolean;
    finalized: number | null;
  }>(`select chain_id, number, hash, open_number is not null as open, finalized from ${schema}.cursors`);
  const others = rows.filter((row) => row.chain_id !== chainId);
  if (others.length > 0)
    throw new RebuildError(
      `the read model holds chain ${others.map((row) => row.chain_id).join(', ')} as well: rebuild it from its topics`,
      { retryable: false },
    );
  const [row] = rows;
  if (row === undefined)
    throw new RebuildError(
      `the read model has no block of chain ${chainId} yet: start chain-indexer and verification first`,
      { retryable: false },
    );
  return { number: row.number, hash: hexOfBytes(row.hash), open: row.open, finalized: row.finalized };
}
