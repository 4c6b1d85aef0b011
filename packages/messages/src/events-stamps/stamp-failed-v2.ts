import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, Refusal } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { StampFailed } from './stamp-failed.ts';

/** Version 1 with what its owner knows the stamp by. */
export const StampFailedV2 = defineMessage({
  ...StampFailed,
  version: 2,
  consumers: ['gateway', 'notifications', 'storage'],
  schema: Type.Object({ ...stampIdentity, refusal: Refusal, failedAt: Instant }),
});
export type StampFailedV2 = DataOf<typeof StampFailedV2>;
