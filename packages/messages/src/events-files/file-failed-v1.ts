import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo, Uuid } from '../fields.ts';

/**
 * The former version, without what its owner knows the stamp by.
 * No longer published. What was stays in the topic for ever, and a rebuild reads it (I8).
 */
export const FileFailedV1 = defineMessage({
  type: 'FileFailed',
  version: 1,
  topic: 'events.files',
  producer: 'storage',
  consumers: ['gateway'],
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
