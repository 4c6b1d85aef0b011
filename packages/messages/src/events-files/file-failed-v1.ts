import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo, Uuid } from '../fields.ts';

/**
 * The former version, without what its owner knows the stamp by.
 * No longer published. What was stays in the topic for ever.
 */
export const FileFailedV1 = defineMessage({
  type: 'FileFailed',
  version: 1,
  topic: 'events.files',
  producer: 'storage',
  consumers: [],
  schema: Type.Object({
    stampId: Uuid,
    /** A sentence for the stamp's owner. */
    reason: Type.String({ minLength: 1 }),
    replyTo: ReplyTo,
    failedAt: Instant,
  }),
  key: (data) => data.stampId,
});
export type FileFailedV1 = DataOf<typeof FileFailedV1>;
