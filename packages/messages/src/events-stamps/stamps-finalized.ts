import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Count, Uuid } from '../fields.ts';

/** The blocks of these stamps are final. */
export const StampsFinalized = defineMessage({
  type: 'StampsFinalized',
  version: 1,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['gateway'],
  schema: Type.Object({ batchId: Uuid, chainId: Count, blockNumber: Count, stampIds: Type.Array(Uuid) }),
  key: (data) => data.batchId,
});
export type StampsFinalized = DataOf<typeof StampsFinalized>;
