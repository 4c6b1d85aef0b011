import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { nullable, Uuid } from '../fields.ts';
import { StampConfirmedV2 } from './stamp-confirmed-v2.ts';

/**
 * The commitment is in a block of the canonical chain at the configured depth (I1). Its batch gives its submission and
 * finality.
 */
export const StampConfirmed = defineMessage({
  ...StampConfirmedV2,
  version: 3,
  consumers: ['notifications', 'storage'],
  pooled: { label: 'no-content', prefix: 'stamp-', by: 'stampId' },
  schema: Type.Object({
    ...StampConfirmedV2.schema.properties,
    requestId: nullable(Uuid),
    batchId: Uuid,
    clientRef: nullable(Type.String()),
  }),
});
export type StampConfirmed = DataOf<typeof StampConfirmed>;
