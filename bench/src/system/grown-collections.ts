import type { Hex } from '@indelible/identifiers';
import { withClient } from './with-client.ts';

/** Collections of an account that stand on the chain as far as the services know; nothing is stamped into these. */
export async function growCollections(
  databaseUrl: string,
  { account, from, to }: { readonly account: Hex; readonly from: number; readonly to: number },
): Promise<void> {
  if (to <= from) return;
  const owner = `'\\x${account.slice(2).toLowerCase()}'::bytea`;
  await withClient(databaseUrl, (client) =>
    client.query(
      `with made as (
         insert into stamping.collections (account, cid, name, name_folded, is_pinned, registered_at, version,
           created_block, created_time, created_transaction, is_created)
         select ${owner}, sha256(('collection' || n)::bytea), 'grown ' || n, 'grown ' || n, false, now(), 2, 1,
           extract(epoch from now())::bigint, sha256('made'), true
         from generate_series(${from}, ${to - 1}) as n
         returning id, cid, name, registered_at
       ), seen as (
         insert into gateway.collections (id, account, cid, name, folded_name, is_pinned, is_public, registered_at,
           created)
         select id, '${account.toLowerCase()}', '0x' || encode(cid, 'hex'), name, name, false, true, registered_at, true
         from made
       )
       insert into verification.collections (account, cid, name, folded_name, is_public)
       select ${owner}, cid, name, name, true from made`,
    ),
  );
}
