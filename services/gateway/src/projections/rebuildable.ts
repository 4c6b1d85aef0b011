import type { Projection } from '@indelible/event-store';
import { migrations } from '../migrate.ts';
import { schema } from '../schema.ts';
import { collectionMessages, projectCollections } from './collections.ts';
import { collectionsGate, consumerName } from './consume.ts';

export const collectionsProjection: Projection = {
  name: collectionsGate,
  schema,
  migrations,
  tables: ['collections'],
  contracts: collectionMessages,
  consumer: consumerName,
  apply: projectCollections,
  vanishing: ({ shadow }) => ({
    table: 'collections',
    key: ['id'],
    lost: `not exists (select from ${shadow}.collections s where s.id = l.id)`,
  }),
};
