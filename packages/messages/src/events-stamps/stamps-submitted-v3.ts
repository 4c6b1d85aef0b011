import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Count } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { maxSubmittedStamps, StampsSubmittedV2 } from './stamps-submitted-v2.ts';

/** A stamp of the batch, and where this submission belongs among its events. */
export const submittedStamp = {
  ...stampIdentity,
  /** Which submission of the stamp this is, from 1. */
  attempt: Type.Integer({ minimum: 1 }),
  /** How many of its StampReverted come before it. */
  reversions: Count,
};

/**
 * The former version, without the trace contexts of the stamps. No longer published. Stays in the topic forever, and a
 * restore reads it.
 */
export const StampsSubmittedV3 = defineMessage({
  ...StampsSubmittedV2,
  version: 3,
  schema: Type.Object({
    ...StampsSubmittedV2.schema.properties,
    stamps: Type.Array(Type.Object(submittedStamp), { maxItems: maxSubmittedStamps }),
  }),
});
export type StampsSubmittedV3 = DataOf<typeof StampsSubmittedV3>;
