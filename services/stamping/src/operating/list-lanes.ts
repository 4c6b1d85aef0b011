import { decodeLaneOperator, encodeLaneOperator } from '@indelible/commitment-contract';
import { ethCall, getBalance, getTransactionCount } from '@indelible/ethereum';
import { checksumAddress, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { LanePlace } from './lane-place.ts';

export type ListedLane = {
  /** Null: it has no key in LANES. */
  readonly index: number | null;
  readonly lane: Hex;
  readonly balanceWei: string;
  /** Its operator on the contract. */
  readonly operator: Hex | null;
  readonly added: boolean;
  /** Nonces on the chain; `next` is the next that stamping signs, null if it never had the lane. */
  readonly nonce: { readonly chain: number; readonly next: number | null };
  /** Batches in no block, and in one that is not final. */
  readonly unincluded: number;
  readonly notFinal: number;
  readonly draining: boolean;
  readonly lowFunds: boolean;
  readonly holder: string | null;
};

type LaneRow = {
  lane: Buffer;
  next_nonce: number;
  draining: boolean;
  low_funds: boolean;
  holder: string | null;
  unincluded: number;
  not_final: number;
};

/** The lanes served now, and those used before; read-only. */
export async function listLanes(
  { rpc, database, chainId, contract, operator }: LanePlace,
  served: readonly { readonly index: number; readonly address: Hex }[],
): Promise<readonly ListedLane[]> {
  const { rows } = await database.query<LaneRow>(
    `select l.lane, l.next_nonce, l.draining, l.low_funds,
       case when l.lease_until > now() then l.lease_holder end as holder,
       (select count(*) from batches where lane = l.lane and status = 'signed') as unincluded,
       (select count(*) from batches where lane = l.lane and status = 'included') as not_final
     from lanes l where l.chain_id = $1 order by l.lane`,
    [chainId],
  );
  const known = new Map(rows.map((row) => [hexOfBytes(row.lane), row]));
  const others = [...known.keys()].filter((lane) => served.every(({ address }) => address !== lane));
  const lanes = [...served, ...others.map((address) => ({ index: null, address }))];
  return Promise.all(
    lanes.map(async ({ index, address }) => {
      const row = known.get(address);
      const [balance, nonce, answer] = await Promise.all([
        getBalance(rpc, address),
        getTransactionCount(rpc, address),
        ethCall(rpc, { to: contract, data: encodeLaneOperator({ lane: address }) }, 'latest'),
      ]);
      const holder = decodeLaneOperator(answer);
      return {
        index,
        lane: address,
        balanceWei: balance.toString(),
        operator: holder ?? null,
        added: holder === operator,
        nonce: { chain: nonce, next: row?.next_nonce ?? null },
        unincluded: row?.unincluded ?? 0,
        notFinal: row?.not_final ?? 0,
        draining: row?.draining ?? false,
        lowFunds: row?.low_funds ?? false,
        holder: row?.holder ?? null,
      };
    }),
  );
}

const gweiPerEther = 1e9;

export function linesOfLane(lane: ListedLane): string[] {
  const ether = Number(BigInt(lane.balanceWei) / 1_000_000_000n) / gweiPerEther;
  const operator =
    lane.operator === null ? 'not added to the contract' : `belongs to operator ${checksumAddress(lane.operator)}`;
  const facts = [
    lane.added ? 'added' : operator,
    lane.draining ? 'drained: takes nothing new' : '',
    lane.lowFunds ? 'low funds' : '',
    lane.holder === null ? 'not held' : `held by ${lane.holder}`,
    `${lane.unincluded} batches in no block, ${lane.notFinal} not final`,
  ].filter((fact) => fact !== '');
  const name = lane.index === null ? 'lane without a key here' : `lane ${lane.index}`;
  return [`${name}  ${checksumAddress(lane.lane)}  ${ether} ether  ${facts.join(', ')}`];
}
