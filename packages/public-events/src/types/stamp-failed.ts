import { Type } from '@sinclair/typebox';
import { ProblemFields, stampFields } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';

export const StampFailed = definePublicEvent({
  name: 'stamp.failed',
  version: 1,
  schema: Type.Object(
    { ...stampFields, error: ProblemFields('Why') },
    {
      title: 'Stamp failed',
      description: 'The stamp can never be on the chain.',
      examples: [
        {
          ...sampleStamp,
          error: { code: 'grant-revoked', message: 'The account has revoked the grant to the service' },
        },
      ],
    },
  ),
});
