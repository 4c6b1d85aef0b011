import { arrayOf, type Client } from '@indelible/postgres';
import type { BatchState } from '../decisions/batch-state.ts';

/** A batch as it was when it was locked; its confirmed stamps only where they were wanted. */
export type KnownBatch = BatchState & { readonly openStamps: number };

type Row = {
  readonly batch_id: string;
  readonly state: Omit<BatchState, 'confirmed'>;
  readonly open_stamps: number;
};

/**
 * Batches that are known, each under a lock until the transaction ends: what happens to one is followed in turn.
 * @param whole of which batches the confirmed stamps are wanted; those of others only grow
 */
export async function lockBatches(
  client: Client,
  ids: readonly string[],
  whole: ReadonlySet<string>,
): Promise<Map<string, KnownBatch>> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<Row>({
    name: 'lock-batches',
    text: `select batch_id, state, open_stamps from batches where batch_id = any($1::uuid[])
           order by batch_id for update`,
    values: [arrayOf.uuid(ids)],
  });
  const confirmed = await readConfirmed(
    client,
    rows.filter((row) => row.open_stamps > 0 && whole.has(row.batch_id)).map((row) => row.batch_id),
  );
  return new Map(
    rows.map(({ batch_id: id, state, open_stamps: openStamps }) => [
      id,
      { ...state, confirmed: confirmed.get(id) ?? {}, openStamps },
    ]),
  );
}

async function readConfirmed(client: Client, ids: readonly string[]): Promise<Map<string, BatchState['confirmed']>> {
  const confirmed = new Map<string, Record<string, BatchState['confirmed'][string]>>();
  if (ids.length === 0) return confirmed;
  const { rows } = await client.query<{ batch_id: string; stamps: BatchState['confirmed'] }>({
    name: 'read-confirmed-stamps',
    text: 'select batch_id, stamps from confirmed_stamps where batch_id = any($1::uuid[]) order by batch_id, ordinal',
    values: [arrayOf.uuid(ids)],
  });
  for (const { batch_id: id, stamps } of rows) {
    const own = confirmed.get(id);
    if (own === undefined) confirmed.set(id, { ...stamps });
    else Object.assign(own, stamps);
  }
  return confirmed;
}

/**
 * @param whole the batches whose confirmed stamps were read: theirs are replaced, those of others are added
 * @throws a unique violation when another transaction met one of the new batches first: decide again
 */
export async function saveBatches(
  client: Client,
  batches: ReadonlyMap<string, BatchState>,
  known: ReadonlyMap<string, KnownBatch>,
  whole: ReadonlySet<string>,
): Promise<void> {
  const openOf = (id: string, { confirmed }: BatchState): number =>
    Object.keys(confirmed).length + (whole.has(id) ? 0 : (known.get(id)?.openStamps ?? 0));
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
        arrayOf.json(saved.map(([, { confirmed, ...state }]) => JSON.stringify(state))),
        arrayOf.int(saved.map(([id, state]) => openOf(id, state))),
      ],
    });
  }
  await saveConfirmed(client, batches, known, whole);
}

async function saveConfirmed(
  client: Client,
  batches: ReadonlyMap<string, BatchState>,
  known: ReadonlyMap<string, KnownBatch>,
  whole: ReadonlySet<string>,
): Promise<void> {
  const replaced = [...batches.keys()].filter((id) => whole.has(id) && (known.get(id)?.openStamps ?? 0) > 0);
  if (replaced.length > 0)
    await client.query({
      name: 'drop-confirmed-stamps',
      text: 'delete from confirmed_stamps where batch_id = any($1::uuid[])',
      values: [arrayOf.uuid(replaced)],
    });
  const added = [...batches].filter(([, { confirmed }]) => Object.keys(confirmed).length > 0);
  if (added.length > 0)
    await client.query({
      name: 'add-confirmed-stamps',
      text: 'insert into confirmed_stamps (batch_id, stamps) select * from unnest($1::uuid[], $2::json[])',
      values: [
        arrayOf.uuid(added.map(([id]) => id)),
        arrayOf.json(added.map(([, { confirmed }]) => JSON.stringify(confirmed))),
      ],
    });
}
