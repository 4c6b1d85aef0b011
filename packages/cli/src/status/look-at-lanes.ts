import { getBalance, type Rpc } from '@indelible/ethereum';
import { checksumAddress, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { etherOf } from '../commands/ether.ts';
import type { Finding } from './finding.ts';

type Row = { lane: Buffer; draining: boolean; low_funds: boolean; held: boolean; unincluded: number };

/** The lanes that stamping knows: each that takes batches should be held by a replica, and have funds. */
export async function lookAtLanes(rpc: Rpc, database: Pick<Client, 'query'>): Promise<readonly Finding[]> {
  const { rows } = await database.query<Row>(
    `select l.lane, l.draining, l.low_funds, l.lease_until > now() as held,
       (select count(*) from stamping.batches where lane = l.lane and status = 'signed') as unincluded
     from stamping.lanes l where l.chain_id = $1 order by l.lane`,
    [await rpc.chainId()],
  );
  const open = rows.filter(({ draining }) => !draining);
  const findings = await Promise.all(
    rows.map(async ({ lane, draining, low_funds: lowFunds, held, unincluded }): Promise<Finding> => {
      const address = checksumAddress(hexOfBytes(lane));
      const ether = etherOf(await getBalance(rpc, hexOfBytes(lane)));
      const states = [draining ? 'drained' : held ? 'held' : 'held by nobody', ...(lowFunds ? ['low funds'] : [])];
      return {
        name: 'lane',
        ok: draining || (held && !lowFunds),
        text: `${address}  ${ether} ether, ${unincluded} batches in no block, ${states.join(', ')}`,
        data: { lane: address, ether, unincluded, draining, held, lowFunds },
      };
    }),
  );
  if (open.length > 0) return findings;
  return [...findings, { name: 'lanes', ok: false, text: 'no lane takes batches', data: { lanes: 0 } }];
}
