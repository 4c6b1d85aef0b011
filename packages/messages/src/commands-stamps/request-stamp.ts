import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { nullable } from '../fields.ts';
import { RequestStampV2 } from './request-stamp-v2.ts';

/** The longest reference of a caller, in characters. */
export const maxReferenceLength = 200;

/** Requests one stamp. A new stamp has the request's id, and its events carry the caller's reference. */
export const RequestStamp = defineMessage({
  ...RequestStampV2,
  version: 3,
  schema: Type.Object({
    ...RequestStampV2.schema.properties,
    clientRef: nullable(Type.String({ minLength: 1, maxLength: maxReferenceLength })),
  }),
});
export type RequestStamp = DataOf<typeof RequestStamp>;
