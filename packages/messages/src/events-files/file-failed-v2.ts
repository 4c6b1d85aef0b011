import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { FileFailedV1 } from './file-failed-v1.ts';

/** The former version, without how the content came. No longer published. Stays in the topic forever. */
export const FileFailedV2 = defineMessage({
  ...FileFailedV1,
  version: 2,
  consumers: ['notifications'],
  schema: Type.Object({ ...stampIdentity, reason: Type.String({ minLength: 1 }), replyTo: ReplyTo, failedAt: Instant }),
});
export type FileFailedV2 = DataOf<typeof FileFailedV2>;
