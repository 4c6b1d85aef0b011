import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, Refusal } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { StampFailedV1 } from './stamp-failed-v1.ts';

/** The stamp can never be on the chain; its status says why (I6). */
export const StampFailed = defineMessage({
  ...StampFailedV1,
  version: 2,
  consumers: ['notifications', 'storage'],
  schema: Type.Object({ ...stampIdentity, refusal: Refusal, failedAt: Instant }),
});
export type StampFailed = DataOf<typeof StampFailed>;
