import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo, Uuid } from '../fields.ts';

/** The content of a stamp that was to be stored never will be: the stamp stands without it. Content that comes later may be stored still. */
export const FileFailed = defineMessage({
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
export type FileFailed = DataOf<typeof FileFailed>;
