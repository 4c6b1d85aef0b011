import type { Hex } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';
import type { StampNote, Submission } from '../decisions/stamp-order.ts';

type Row = {
  readonly stamp_id: string;
  readonly attempt: number;
  readonly reversions: number;
  readonly confirmed: boolean;
  readonly held: readonly Submission[] | null;
};

/** The stored order state of these stamps; nearly all have none. Their accounts are locked. */
export async function readNotes(client: Client, stampIds: readonly string[]): Promise<Map<string, StampNote>> {
  if (stampIds.length === 0) return new Map();
  const { rows } = await client.query<Row>({
    name: 'read-stamp-order',
    text: 'select stamp_id, attempt, reversions, confirmed, held from stamp_order where stamp_id = any($1::uuid[])',
    values: [arrayOf.uuid(stampIds)],
  });
  return new Map(
    rows.map(({ stamp_id: id, attempt, reversions, confirmed, held }) => [
      id,
      { attempt, reversions, confirmed, held: held ?? [] },
    ]),
  );
}

export async function saveNotes(client: Client, notes: ReadonlyMap<string, StampNote | undefined>): Promise<void> {
  const kept = [...notes].flatMap(([stampId, note]) => (note === undefined ? [] : [{ stampId, ...note }]));
  const dropped = [...notes].flatMap(([stampId, note]) => (note === undefined ? [stampId] : []));
  if (dropped.length > 0)
    await client.query({
      name: 'drop-stamp-order',
      text: 'delete from stamp_order where stamp_id = any($1::uuid[])',
      values: [arrayOf.uuid(dropped)],
    });
  if (kept.length > 0)
    await client.query({
      name: 'save-stamp-order',
      text: `insert into stamp_order (stamp_id, attempt, reversions, confirmed, held)
             select * from unnest($1::uuid[], $2::int[], $3::int[], $4::boolean[], $5::json[])
             on conflict (stamp_id) do update set attempt = excluded.attempt, reversions = excluded.reversions,
               confirmed = excluded.confirmed, held = excluded.held, noted_at = excluded.noted_at`,
      values: [
        arrayOf.uuid(kept.map(({ stampId }) => stampId)),
        arrayOf.int(kept.map(({ attempt }) => attempt)),
        arrayOf.int(kept.map(({ reversions }) => reversions)),
        arrayOf.boolean(kept.map(({ confirmed }) => confirmed)),
        arrayOf.json(kept.map(({ held }) => (held.length === 0 ? null : JSON.stringify(held)))),
      ],
    });
}

/** Stamps with a submission waiting since before that time. */
export async function findOverdueNotes(
  client: Client,
  before: Date,
  limit: number,
): Promise<readonly { readonly stampId: string; readonly account: Hex }[]> {
  const { rows } = await client.query<{ stampId: string; account: Hex }>({
    name: 'find-overdue-stamp-order',
    text: `select stamp_id as "stampId", held -> 0 -> 'stamp' ->> 'account' as account from stamp_order
           where held is not null and noted_at < $1 order by noted_at limit $2`,
    values: [before, limit],
  });
  return rows;
}
