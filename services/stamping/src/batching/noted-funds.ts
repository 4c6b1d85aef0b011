import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';

/** The funds that a lane's holder records for all replicas. */
export type NotedFunds = {
  /** Whether the lane takes nothing new: once all lanes do so, new requests are refused. */
  readonly low: boolean;
  /** Funds that accounts may share, in wei. */
  readonly freeWei: bigint;
  /** Likely current price of a unit of gas, in wei. */
  readonly gasPriceWei: bigint;
};

export async function noteFunds(database: Pick<Database, 'query'>, lane: Hex, funds: NotedFunds): Promise<void> {
  await database.query({
    name: 'note-funds',
    text: 'update lanes set low_funds = $2, free_wei = $3, gas_price_wei = $4 where lane = $1',
    values: [bytesOfHex(lane), funds.low, funds.freeWei.toString(), funds.gasPriceWei.toString()],
  });
}

/** The lane can sign nothing: its funds are not shared among accounts, and its gas price is no longer used. */
export async function noteUnspendable(database: Pick<Database, 'query'>, lane: Hex): Promise<void> {
  await database.query({
    name: 'note-unspendable',
    text: 'update lanes set free_wei = 0, gas_price_wei = null where lane = $1',
    values: [bytesOfHex(lane)],
  });
}

/** Free funds of all held lanes that take something new. */
export type SharedFunds = {
  /** In wei; undefined while unknown for one of them. */
  readonly freeWei: bigint | undefined;
  readonly gasPriceWei: bigint | undefined;
  /** Whether there is more than one account. */
  readonly isShared: boolean;
};

export async function loadSharedFunds(database: Pick<Database, 'query'>): Promise<SharedFunds> {
  const { rows } = await database.query<{ free: string | null; price: string | null; accounts: number }>({
    name: 'load-shared-funds',
    text: `select case when count(*) = count(free_wei) then coalesce(sum(free_wei), 0)::text end as free,
             max(gas_price_wei)::text as price,
             (select count(*)::int from (select from accounts limit 2) as first_two) as accounts
           from lanes where lease_until > now() and not draining`,
  });
  const { free = null, price = null, accounts = 0 } = rows[0] ?? {};
  return {
    freeWei: free === null ? undefined : BigInt(free),
    gasPriceWei: price === null ? undefined : BigInt(price),
    isShared: accounts > 1,
  };
}
