import { hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Spent } from '../decisions/funds-shares.ts';

/** Includes hours only partly inside the window; older rows are not needed. */
const withinWindow = 'hour > now() - make_interval(hours => $1::int + 1)';

/**
 * Spending per account, on all lanes within the window, of the accounts that spent most. Each hour counts at its own
 * gas price or the current one, whichever is lower: a past fee spike, whose transactions then cost less than signed,
 * blocks no account.
 * @param gasPriceWei undefined when it is not known
 */
export async function loadSpending(
  database: Pick<Database, 'query'>,
  hours: number,
  gasPriceWei: bigint | undefined,
  limit: number,
): Promise<readonly Spent[]> {
  const { rows } = await database.query<{ account: Buffer; wei: string }>({
    name: 'load-spending',
    text: `select account, trunc(sum(least(wei, gas * $2::numeric)))::text as wei from account_spending
           where ${withinWindow} group by account order by sum(least(wei, gas * $2::numeric)) desc limit $3`,
    values: [hours, gasPriceWei?.toString() ?? null, limit],
  });
  return rows.map(({ account, wei }) => ({ account: hexOfBytes(account), wei: BigInt(wei) }));
}

/**
 * Deletes spending from before the window.
 * @returns how many rows, at most `limit`
 */
export async function forgetSpending(database: Pick<Database, 'query'>, hours: number, limit: number): Promise<number> {
  const { rowCount } = await database.query(
    `delete from account_spending where ctid = any(array(
       select ctid from account_spending where not (${withinWindow}) order by hour limit $2))`,
    [hours, limit],
  );
  return rowCount ?? 0;
}
