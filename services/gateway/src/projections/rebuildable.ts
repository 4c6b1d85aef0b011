import type { Projection } from '@indelible/projections';
import { migrations } from '../migrate.ts';
import { schema } from '../schema.ts';
import { collectionMessages, projectCollections } from './collections.ts';
import { collectionsGate, inboxName, stampsGate } from './consume.ts';
import { isForgotten } from './forget-requests.ts';
import { stampMessages } from './stamp-facts.ts';
import { projectStamps } from './stamps.ts';

/** What no message can have told of a stamp but that its request was accepted: as noteAccepted leaves a row. */
const onlyAccepted = `l.status = 'accepted' and l.on_chain is null and l.file_name is null`;

/** The status of stamps. Requests accepted by the gateway of which no event tells yet are taken over (I6). */
export const stampsProjection: Projection = {
  name: stampsGate,
  schema,
  migrations,
  tables: ['stamps', 'stamp_aliases', 'requests_without_stamp', 'submitted_batches', 'final_blocks'],
  contracts: stampMessages,
  consumer: inboxName,
  apply: projectStamps,
  vanishing: ({ live, shadow }) => ({
    table: 'stamps',
    key: ['id'],
    lost: `not (${onlyAccepted})
      and not exists (select from ${shadow}.stamps s where s.id = l.id)
      and not exists (select from ${shadow}.stamp_aliases a where a.request_id = l.id)
      and l.id not in (select r.request_id from ${live}.requests_without_stamp r where ${isForgotten})`,
  }),
  async carryOver(client, { live, shadow }) {
    // Requests that are accepted meanwhile wait for the new table; who asks for the status of one does not.
    await client.query(`lock table ${live}.stamps in exclusive mode`);
    await client.query(
      `insert into ${shadow}.stamps (id, account, object_cid, set_cid, requested_at)
       select l.id, l.account, l.object_cid, l.set_cid, l.requested_at from ${live}.stamps l
       where l.requested_at is not null
         and not exists (select from ${shadow}.stamps s where s.id = l.id and s.requested_at is not null)
         and not exists (select from ${shadow}.stamp_aliases a where a.request_id = l.id)
         and (${onlyAccepted} or exists (select from ${shadow}.stamps s where s.id = l.id))
       on conflict (id) do update set
         account = coalesce(stamps.account, excluded.account),
         object_cid = coalesce(stamps.object_cid, excluded.object_cid),
         set_cid = coalesce(stamps.set_cid, excluded.set_cid),
         requested_at = excluded.requested_at`,
    );
  },
};

export const collectionsProjection: Projection = {
  name: collectionsGate,
  schema,
  migrations,
  tables: ['collections'],
  contracts: collectionMessages,
  consumer: inboxName,
  apply: projectCollections,
  vanishing: ({ shadow }) => ({
    table: 'collections',
    key: ['id'],
    lost: `not exists (select from ${shadow}.collections s where s.id = l.id)`,
  }),
};
