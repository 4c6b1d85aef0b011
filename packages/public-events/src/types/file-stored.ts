import { Type } from '@sinclair/typebox';
import { stampFields } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';

export const FileStored = definePublicEvent({
  name: 'file.stored',
  version: 1,
  schema: Type.Object(
    {
      ...stampFields,
      file_object: Type.Object(
        {
          file_name: Type.String({ description: "With the receipt's time" }),
          file_path: Type.String({ description: 'Where it is stored' }),
        },
        { description: 'The stored file' },
      ),
    },
    {
      title: 'File stored',
      description: 'The content of the stamp is stored. It follows `stamp.confirmed`.',
      examples: [
        {
          ...sampleStamp,
          file_object: {
            file_name: 'reading_2026-11-21_04-10-07+0000.json',
            file_path: `${sampleStamp.user_address}/collections/Forest/stamped/reading_2026-11-21_04-10-07+0000.json`,
          },
        },
      ],
    },
  ),
});
