import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { nullable, Uuid } from '../fields.ts';
import { StampConfirmed } from './stamp-confirmed.ts';

/** Version 2 with the batch, by which its submission and finality are known, and the caller's own reference. */
export const StampConfirmedV3 = defineMessage({
  ...StampConfirmed,
  version: 3,
  consumers: ['gateway', 'notifications', 'storage'],
  schema: Type.Object({
    ...StampConfirmed.schema.properties,
    requestId: nullable(Uuid),
    batchId: Uuid,
    clientRef: nullable(Type.String()),
  }),
});
export type StampConfirmedV3 = DataOf<typeof StampConfirmedV3>;
