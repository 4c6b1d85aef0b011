import { getBlockByNumber, profileOf, type Rpc } from '@indelible/ethereum';
import type { Client } from '@indelible/postgres';
import type { Finding } from './finding.ts';

/** Blocks behind the head, in times of what is usual between blocks. */
const mostBehindMs = 60_000;
const oldHeads = 10;

/** The chain's newest block, and how far the indexer and stamping have read. */
export async function lookAtChain(rpc: Rpc, database: Pick<Client, 'query'>): Promise<readonly Finding[]> {
  const chainId = await rpc.chainId();
  const head = await getBlockByNumber(rpc, 'latest');
  if (head === null) throw new Error('the node has no latest block');
  const { rows } = await database.query<{ indexed: number | null; stamping: number | null }>(
    `select (select number from chain.cursor where chain_id = $1) as indexed,
       (select number from stamping.chain_cursor where chain_id = $1) as stamping`,
    [chainId],
  );
  const { indexed = null, stamping = null } = rows[0] ?? {};
  const { blockTimeMs } = profileOf(chainId);
  const ageSeconds = Math.max(0, Math.round(Date.now() / 1_000 - head.timestamp));
  const mostBehind = Math.ceil(mostBehindMs / blockTimeMs) + 2;
  const lagOf = (number: number | null): number | null => (number === null ? null : Math.max(0, head.number - number));
  const [indexerLag, stampingLag] = [lagOf(indexed), lagOf(stamping)];
  const isOld = ageSeconds * 1_000 > Math.max(oldHeads * blockTimeMs, mostBehindMs);
  const follows = [indexerLag, stampingLag].every((lag) => lag !== null && lag <= mostBehind);
  const lagText = (lag: number | null): string => (lag === null ? 'has read none' : `${lag} behind`);
  const finding: Finding = {
    name: 'chain',
    ok: !isOld && follows,
    text: `chain ${chainId}, block ${head.number}, ${ageSeconds} s old; indexer ${lagText(indexerLag)}, stamping ${lagText(stampingLag)}`,
    data: { chainId, head: head.number, ageSeconds, indexerLag, stampingLag },
  };
  return [finding];
}
