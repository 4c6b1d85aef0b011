import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';

/**
 * Locks the accounts until the transaction ends: one at a time appends to an account's log, so that readers see
 * positions in order.
 * @returns the position of the last event of each
 */
export async function lockAccounts(client: Client, accounts: readonly Hex[]): Promise<Map<Hex, number>> {
  if (accounts.length === 0) return new Map();
  const { rows } = await client.query<{ account: Buffer; position: number }>({
    name: 'lock-accounts',
    // Sorted, so that transactions do not deadlock.
    text: `insert into accounts (account) select account from unnest($1::bytea[]) as account order by account
           on conflict (account) do update set position = accounts.position returning account, position`,
    values: [arrayOf.bytea(accounts)],
  });
  return new Map(rows.map((row) => [hexOfBytes(row.account), row.position]));
}

/** Stores the ends of the accounts' logs. */
export async function savePositions(client: Client, positions: ReadonlyMap<Hex, number>): Promise<void> {
  await client.query({
    name: 'save-positions',
    text: `insert into accounts (account, position) select * from unnest($1::bytea[], $2::bigint[]) as p (account, position)
           order by account on conflict (account) do update set position = excluded.position`,
    values: [arrayOf.bytea([...positions.keys()]), arrayOf.bigint([...positions.values()])],
  });
}

export type SequenceCount = { readonly account: Hex; readonly set: Hex | ''; readonly count: number };

export const sequenceKey = (account: Hex, set: Hex | ''): string => `${account}/${set}`;

/** Takes the next numbers of collections of locked accounts. @returns the last of each, by {@link sequenceKey} */
export async function takeSequences(client: Client, counts: readonly SequenceCount[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ account: Buffer; set_cid: Buffer; last: number }>({
    name: 'take-sequences',
    text: `insert into sequences (account, set_cid, last) select * from unnest($1::bytea[], $2::bytea[], $3::bigint[])
           on conflict (account, set_cid) do update set last = sequences.last + excluded.last
           returning account, set_cid, last`,
    values: [
      arrayOf.bytea(counts.map(({ account }) => account)),
      arrayOf.bytea(counts.map(({ set }) => (set === '' ? '0x' : set))),
      arrayOf.bigint(counts.map(({ count }) => count)),
    ],
  });
  const setOf = (bytes: Buffer): Hex | '' => (bytes.length === 0 ? '' : hexOfBytes(bytes));
  return new Map(rows.map((row) => [sequenceKey(hexOfBytes(row.account), setOf(row.set_cid)), row.last]));
}
