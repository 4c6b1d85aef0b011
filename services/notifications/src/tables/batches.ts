import { arrayOf, type Client } from '@indelible/postgres';
import { type BatchState, countConfirmed, type FormerConfirmation } from '../decisions/batch-state.ts';

/** As an older release stored it. */
type FormerState = Omit<BatchState, 'confirmed'> & {
  readonly confirmed: Readonly<Record<string, FormerConfirmation>>;
};

const stateOf = (state: BatchState | FormerState): BatchState => {
  const { confirmed } = state;
  return Array.isArray(confirmed)
    ? { ...state, confirmed }
    : { ...state, confirmed: [], former: confirmed as FormerState['confirmed'] };
};

/** Known batches, each locked until the transaction ends: changes to one are followed in turn. */
export async function lockBatches(client: Client, ids: readonly string[]): Promise<Map<string, BatchState>> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<{ batch_id: string; state: BatchState | FormerState }>({
    name: 'lock-batches',
    text: 'select batch_id, state from batches where batch_id = any($1::uuid[]) order by batch_id for update',
    values: [arrayOf.uuid(ids)],
  });
  return new Map(rows.map((row) => [row.batch_id, stateOf(row.state)]));
}

/** @throws a unique violation when another transaction met one of the new batches first: decide again */
export async function saveBatches(
  client: Client,
  batches: ReadonlyMap<string, BatchState>,
  known: ReadonlyMap<string, BatchState>,
): Promise<void> {
  for (const [name, isKnown] of [
    ['insert-batches', false],
    ['update-batches', true],
  ] as const) {
    const saved = [...batches].filter(([id]) => known.has(id) === isKnown);
    if (saved.length === 0) continue;
    await client.query({
      name,
      text: `insert into batches (batch_id, state, open_stamps)
             select * from unnest($1::uuid[], $2::json[], $3::int[]) as b (id, state, open) order by id${
               isKnown
                 ? ` on conflict (batch_id) do update set state = excluded.state, open_stamps = excluded.open_stamps,
                       touched_at = excluded.touched_at`
                 : ''
             }`,
      values: [
        arrayOf.uuid(saved.map(([id]) => id)),
        arrayOf.json(saved.map(([, state]) => JSON.stringify(state))),
        arrayOf.int(saved.map(([, state]) => countConfirmed(state))),
      ],
    });
  }
}
