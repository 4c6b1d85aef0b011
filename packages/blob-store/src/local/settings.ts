import { integer, madeOf, optional, text } from '@indelible/service-runtime';
import { defaultMinFreeBytes } from './free-space.ts';

export type LocalConfig = { readonly kind: 'local'; readonly directory: string; readonly minFreeBytes?: number };

export const localSettings = madeOf(
  {
    directory: text('BLOB_STORE_DIRECTORY', { meaning: 'Where content is kept; gateway and storage share it' }),
    minFreeBytes: optional(
      integer('BLOB_STORE_MIN_FREE_BYTES', {
        meaning: 'Content is refused while the disk has less free space',
        unit: 'bytes',
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
      }),
      String(defaultMinFreeBytes),
    ),
  },
  ({ directory, minFreeBytes }): LocalConfig => ({
    kind: 'local',
    directory,
    ...(minFreeBytes !== undefined && { minFreeBytes }),
  }),
);
