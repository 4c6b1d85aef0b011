import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Count } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { maxSubmittedStamps, StampsSubmittedV2 } from './stamps-submitted-v2.ts';

/**
 * A signed transaction that carries these stamps is stored; from now on it is broadcast until it is in a block. A large batch is
 * announced in numbered parts, which share a key, so that they are read in their order. Messages of a batch and of its stamps are in
 * different partitions, so each stamp says where this submission belongs among its events.
 */
export const StampsSubmitted = defineMessage({
  ...StampsSubmittedV2,
  version: 3,
  schema: Type.Object({
    ...StampsSubmittedV2.schema.properties,
    stamps: Type.Array(
      Type.Object({
        ...stampIdentity,
        /** Which submission of the stamp this is, from 1. */
        attempt: Type.Integer({ minimum: 1 }),
        /** How many of its StampReverted come before it. */
        reversions: Count,
      }),
      { maxItems: maxSubmittedStamps },
    ),
  }),
});
export type StampsSubmitted = DataOf<typeof StampsSubmitted>;
