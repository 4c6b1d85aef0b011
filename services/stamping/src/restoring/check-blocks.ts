import { type BlockHeader, type ChainReader, RpcUnavailableError } from '@indelible/ethereum';
import { hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { revertBlocks } from '../confirming/revert-blocks.ts';

/**
 * The block of a batch or collection. The first version of CollectionCreated has its transaction, not the block hash.
 */
type Named = { readonly number: number } & (
  | { readonly hash: Buffer }
  | { readonly hash: null; readonly transaction: Buffer }
);

/** The most headers held at once: each has its block's transaction hashes. */
const namedAtOnce = 50;

/**
 * Takes back confirmations by blocks no longer on the chain. A reorg may have happened between the loss and now, and
 * facts are read from the backup's block on, which say nothing of blocks that the backup never saw (I4).
 * @param after the newest block that the backup has read
 * @param head the newest block of the chain
 * @returns the last block before the first missing one; undefined when all are on the chain
 * @throws RpcUnavailableError when the node lacks a block up to the head: that proves nothing about the chain
 */
export async function revertLostBlocks(
  database: Database,
  reader: Pick<ChainReader<never>, 'headers'>,
  { chainId, after, head }: { readonly chainId: number; readonly after: number; readonly head: number },
): Promise<number | undefined> {
  const { rows: named } = await database.query<Named>(
    `select block_number as number, block_hash as hash, null as transaction from batches
     where status in ('included', 'finalized') and chain_id = $2 and block_number > $1
     union
     select created_block, created_block_hash, case when created_block_hash is null then created_transaction end
     from collections where created_block > $1
     order by number`,
    [after, chainId],
  );
  const first = await firstLost(named, reader, head);
  if (first === undefined) return undefined;
  const ancestor = first - 1;
  for (let done = false; !done; )
    ({ done } = await database.transaction((client) => revertBlocks(client, { chainId, ancestor, finalized: first })));
  return ancestor;
}

async function firstLost(
  named: readonly Named[],
  reader: Pick<ChainReader<never>, 'headers'>,
  head: number,
): Promise<number | undefined> {
  for (let at = 0; at < named.length; at += namedAtOnce) {
    const some = named.slice(at, at + namedAtOnce);
    const headers = new Map(
      (await reader.headers([...new Set(some.map(({ number }) => number))])).map((header) => [header.number, header]),
    );
    const lost = some.find((one) => !isOnChain(one, headers.get(one.number), head));
    if (lost !== undefined) return lost.number;
  }
  return undefined;
}

function isOnChain(named: Named, header: BlockHeader | undefined, head: number): boolean {
  if (header === undefined) {
    if (named.number <= head) throw new RpcUnavailableError(`the node lacks block ${named.number}`);
    return false;
  }
  return named.hash === null
    ? header.transactions.includes(hexOfBytes(named.transaction))
    : header.hash === hexOfBytes(named.hash);
}
