import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { maxSubmittedStamps } from './stamps-submitted-v2.ts';
import { StampsSubmittedV3, submittedStamp } from './stamps-submitted-v3.ts';

/**
 * A signed transaction with these stamps is stored; it is now broadcast until it is in a block. A large batch is
 * announced in numbered parts, which share a key to keep their order. Messages of a batch and of its stamps are in
 * different partitions, so each stamp states where this submission belongs among its events. The envelope holds the
 * trace of one request; a batch serves many, so each stamp has its own.
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
