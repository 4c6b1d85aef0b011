import { Type } from '@sinclair/typebox';
import { ProblemFields, stampFields } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';

export const FileFailed = definePublicEvent({
  name: 'file.failed',
  version: 1,
  schema: Type.Object(
    { ...stampFields, error: ProblemFields('Why; `code` is `file-not-stored`') },
    {
      title: 'File failed',
      description:
        'The content of the stamp could not be stored. The stamp is confirmed without it; the content can be sent again.',
      examples: [
        {
          ...sampleStamp,
          error: { code: 'file-not-stored', message: 'the content is no longer there: send it again' },
        },
      ],
    },
  ),
});
