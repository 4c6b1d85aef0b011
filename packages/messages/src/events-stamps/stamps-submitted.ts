import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { maxSubmittedStamps } from './stamps-submitted-v2.ts';
import { StampsSubmittedV3, submittedStamp } from './stamps-submitted-v3.ts';

/**
 * A signed transaction that carries these stamps is stored; from now on it is broadcast until it is in a block. A large batch is
 * announced in numbered parts, which share a key, so that they are read in their order. Messages of a batch and of its stamps are in
 * different partitions, so each stamp says where this submission belongs among its events. The envelope has room for the trace of one
 * request; a batch serves many, so each stamp has its own.
 */
export const StampsSubmitted = defineMessage({
  ...StampsSubmittedV3,
  version: 4,
  schema: Type.Object({
    ...StampsSubmittedV3.schema.properties,
    stamps: Type.Array(
      Type.Object({
        ...submittedStamp,
        /** W3C trace context of the submission, where the request had one. */
        traceparent: Type.Optional(Type.String()),
      }),
      { maxItems: maxSubmittedStamps },
    ),
  }),
});
export type StampsSubmitted = DataOf<typeof StampsSubmitted>;
