import { Type } from '@sinclair/typebox';
import { stampFields } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';

export const StampSubmitted = definePublicEvent({
  name: 'stamp.submitted',
  version: 1,
  schema: Type.Object(stampFields, {
    title: 'Stamp submitted',
    description:
      'A signed transaction carries the stamp. Once for each transaction that is made for it: again when a reorg, or a transaction that failed, puts it into another. Left out when the stamp has been confirmed by another transaction, or submitted again, before it could be reported.',
    examples: [sampleStamp],
  }),
});
