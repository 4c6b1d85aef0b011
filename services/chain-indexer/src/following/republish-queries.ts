import type { Client, Database } from '@indelible/postgres';

/** A run that republishes blocks. */
export type Run = {
  readonly run: number;
  /** The first block it has not published yet. */
  readonly next: number;
};

/**
 * Requests that blocks be republished. An active run that started at or below the block covers it; one that started
 * above it restarts, so there is never more than one.
 * @returns where the run starts, or undefined before the first block
 */
export async function requestRepublish(
  database: Pick<Database, 'query'>,
  chainId: number,
  from: number,
): Promise<number | undefined> {
  const { rows } = await database.query<{ from: number }>({
    name: 'request-republish',
    text: `insert into republish as r (chain_id, run, from_number, next_number, active)
           select chain_id, 1, greatest(start_number, $2), greatest(start_number, $2), true from cursor where chain_id = $1
           on conflict (chain_id) do update set
             run = case when r.active and r.from_number <= excluded.from_number then r.run else r.run + 1 end,
             from_number =
               case when r.active and r.from_number <= excluded.from_number then r.from_number else excluded.from_number end,
             next_number =
               case when r.active and r.from_number <= excluded.from_number then r.next_number else excluded.next_number end,
             active = true
           returning from_number as "from"`,
    values: [chainId, from],
  });
  return rows[0]?.from;
}

export async function readRun(database: Pick<Database, 'query'>, chainId: number): Promise<Run | undefined> {
  const { rows } = await database.query<Run>({
    name: 'read-run',
    text: 'select run, next_number as next from republish where chain_id = $1 and active',
    values: [chainId],
  });
  return rows[0];
}

/** Advances a run, or ends it. @returns false when a request has changed it meanwhile */
export async function moveRun(
  client: Client,
  chainId: number,
  from: Run,
  to: { readonly next: number; readonly done: boolean },
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'move-run',
    text: `update republish set next_number = $4, active = not $5
           where chain_id = $1 and run = $2 and next_number = $3 and active`,
    values: [chainId, from.run, from.next, to.next, to.done],
  });
  return rowCount === 1;
}

/** After a reorg, republished blocks above its ancestor must be republished again. */
export async function takeRunBack(client: Client, chainId: number, ancestor: number): Promise<void> {
  await client.query({
    name: 'take-run-back',
    text: 'update republish set next_number = least(next_number, $2::bigint + 1) where chain_id = $1 and active',
    values: [chainId, ancestor],
  });
}
