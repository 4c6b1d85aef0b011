import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo, Uuid } from '../fields.ts';

/** The former version, without the stamp's identity. No longer published. Stays in the topic forever. */
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
