import { choice, dependingOn, integer, madeOf, matching, optional, text, url } from '@indelible/service-runtime';
import type { BlobStore } from './blob-store.ts';
import { createGcsBlobStore } from './gcs/gcs-blob-store.ts';
import { defaultMinFreeBytes } from './local/free-space.ts';
import { createLocalBlobStore } from './local/local-blob-store.ts';

/** Which blob store a service uses. Services that share content share these settings. */
export type BlobStoreConfig =
  | { readonly kind: 'local'; readonly directory: string; readonly minFreeBytes?: number }
  | { readonly kind: 'gcs'; readonly bucket: string; readonly prefix: string; readonly apiEndpoint?: string };

const bucketName = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;
const prefix = /^(?!.{201})(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;

const local = madeOf(
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
  ({ directory, minFreeBytes }): BlobStoreConfig => ({
    kind: 'local',
    directory,
    ...(minFreeBytes !== undefined && { minFreeBytes }),
  }),
);

const gcs = madeOf(
  {
    bucket: matching('GCS_BUCKET', {
      meaning: 'The bucket of Google Cloud Storage; gateway and storage share it',
      shape: bucketName,
      values: 'the name of a bucket',
    }),
    prefix: matching('GCS_PREFIX', {
      meaning: 'The folder in the bucket',
      shape: prefix,
      values: 'a path of letters, digits, dots, dashes and underscores',
      default: '',
    }),
    apiEndpoint: optional(
      url('GCS_API_ENDPOINT', { meaning: 'An emulator in place of Google', protocols: ['http:', 'https:'] }),
      "Google's",
    ),
  },
  ({ bucket, prefix, apiEndpoint }): BlobStoreConfig => ({
    kind: 'gcs',
    bucket,
    prefix,
    ...(apiEndpoint !== undefined && { apiEndpoint }),
  }),
);

/** Services that share content share these settings. */
export const blobStoreSettings = dependingOn(
  choice('BLOB_STORE', { meaning: 'Where content is kept', choices: ['local', 'gcs'], default: 'local' }),
  { local, gcs },
);

/** The blob store of these settings; it does nothing before its first use. */
export const createBlobStore = (config: BlobStoreConfig): BlobStore =>
  config.kind === 'gcs' ? createGcsBlobStore(config) : createLocalBlobStore(config);
