import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { FileFailed } from './file-failed.ts';

/** Version 1 with what its owner knows the stamp by. */
export const FileFailedV2 = defineMessage({
  ...FileFailed,
  version: 2,
  consumers: ['gateway', 'notifications'],
  schema: Type.Object({ ...stampIdentity, reason: Type.String({ minLength: 1 }), replyTo: ReplyTo, failedAt: Instant }),
});
export type FileFailedV2 = DataOf<typeof FileFailedV2>;
