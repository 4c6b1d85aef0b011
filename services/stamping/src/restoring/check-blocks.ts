import { type BlockHeader, type ChainReader, RpcUnavailableError } from '@indelible/ethereum';
import { hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { revertBlocks } from '../confirming/revert-blocks.ts';

/** A block that a batch or a collection is in. The first version of CollectionCreated names its transaction, and not the block's hash. */
type Named = { readonly number: number } & (
  | { readonly hash: Buffer }
  | { readonly hash: null; readonly transaction: Buffer }
);

/** So many headers are held at once: each has the hashes of its block's transactions. */
const namedAtOnce = 50;

/**
 * Takes back what was confirmed by blocks that are no longer on the chain: a reorg may have come between the loss and now, and the facts
 * of it are read from the backup's block on, which says nothing of blocks that it never saw (I4).
 * @param after the newest block that the backup has read
 * @param head the newest block of the chain
 * @returns the last block before the first that is no longer there; undefined when all are on the chain
 * @throws RpcUnavailableError when the node lacks a block up to the head: that says nothing of the chain
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
