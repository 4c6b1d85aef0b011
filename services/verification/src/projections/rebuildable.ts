import type { Projection } from '@indelible/event-store';
import { isMessage } from '@indelible/kafka';
import { CollectionRegistered } from '@indelible/messages';
import { migrations } from '../migrate.ts';
import { schema } from '../schema.ts';
import { chainMessageOf, chainMessages } from './chain-message.ts';
import { applyCollections, collectionsGate } from './collections.ts';
import { applyBlocks, commitmentsGate, consumerName } from './commitments.ts';

/** Commitments with their chains' cursors: results and their progress change together. */
export const commitmentsProjection: Projection = {
  name: commitmentsGate,
  schema,
  migrations,
  // Queries read the cursor first: the same order avoids deadlocks.
  tables: ['cursors', 'commitments'],
  contracts: chainMessages,
  consumer: consumerName,
  apply: async (client, messages) => void (await applyBlocks(client, messages.map(chainMessageOf))),
  // Rows of blocks that the source lacks: it has lost its first or last blocks.
  vanishing: ({ shadow }) => ({
    table: 'commitments',
    key: ['object_cid', 'user_address', 'chain_id', 'block_number', 'log_index'],
    bounds: `select c.chain_id, coalesce(c.open_number, c.number) as last,
               (select min(block_number) from ${shadow}.commitments k where k.chain_id = c.chain_id) as first
             from ${shadow}.cursors c`,
    lost: `not exists (
      select from bounds b where b.chain_id = l.chain_id and l.block_number between b.first and b.last)`,
  }),
};

/** Whose sets have which names. */
export const collectionsProjection: Projection = {
  name: collectionsGate,
  schema,
  migrations,
  tables: ['collections'],
  contracts: [CollectionRegistered],
  consumer: consumerName,
  apply: (client, messages) =>
    applyCollections(
      client,
      messages.flatMap((message) => (isMessage(message, CollectionRegistered) ? [message.data] : [])),
    ),
  vanishing: ({ shadow }) => ({
    table: 'collections',
    key: ['account', 'cid'],
    lost: `not exists (select from ${shadow}.collections s where s.account = l.account and s.cid = l.cid)`,
  }),
};
