import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { nullable } from '../fields.ts';
import { RequestStamp } from './request-stamp.ts';

/** So many characters a caller's reference has at most. */
export const maxReferenceLength = 200;

/** Version 2 with the caller's own reference, which the events of the stamp carry. */
export const RequestStampV3 = defineMessage({
  ...RequestStamp,
  version: 3,
  schema: Type.Object({
    ...RequestStamp.schema.properties,
    clientRef: nullable(Type.String({ minLength: 1, maxLength: maxReferenceLength })),
  }),
});
export type RequestStampV3 = DataOf<typeof RequestStampV3>;
