import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { nullable } from '../fields.ts';
import { RequestStampV2 } from './request-stamp-v2.ts';

/** So many characters a caller's reference has at most. */
export const maxReferenceLength = 200;

/** Asks for one stamp. The request's id becomes the stamp's when a new one is made, whose events carry the caller's reference. */
export const RequestStamp = defineMessage({
  ...RequestStampV2,
  version: 3,
  schema: Type.Object({
    ...RequestStampV2.schema.properties,
    clientRef: nullable(Type.String({ minLength: 1, maxLength: maxReferenceLength })),
  }),
});
export type RequestStamp = DataOf<typeof RequestStamp>;
