import type { readEnvironment } from '@indelible/service-runtime';
import type { BlobStore } from './blob-store.ts';
import { createGcsBlobStore } from './gcs/gcs-blob-store.ts';
import { createLocalBlobStore } from './local/local-blob-store.ts';

/** Which blob store a service uses. Services that share content share these settings. */
export type BlobStoreConfig =
  | { readonly kind: 'local'; readonly directory: string; readonly minFreeBytes?: number }
  | { readonly kind: 'gcs'; readonly bucket: string; readonly prefix: string; readonly apiEndpoint?: string };

const bucketName = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;
const prefix = /^(?!.{201})(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;

const minFree = 'BLOB_STORE_MIN_FREE_BYTES';

/**
 * Reads BLOB_STORE (local, the default, or gcs), then BLOB_STORE_DIRECTORY and BLOB_STORE_MIN_FREE_BYTES, or GCS_BUCKET, GCS_PREFIX and
 * GCS_API_ENDPOINT. Faults are noted with `read` and name their variable.
 */
export function readBlobStoreConfig(
  read: Pick<ReturnType<typeof readEnvironment>, 'choice' | 'text' | 'integer' | 'optionalText' | 'matching' | 'url'>,
): BlobStoreConfig {
  const kind = read.choice('BLOB_STORE', ['local', 'gcs'] as const, 'local');
  if (kind !== 'gcs')
    return {
      kind: 'local',
      directory: read.text('BLOB_STORE_DIRECTORY'),
      ...(read.optionalText(minFree) === undefined
        ? {}
        : { minFreeBytes: read.integer(minFree, { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER }) }),
    };
  return {
    kind,
    bucket: read.matching('GCS_BUCKET', bucketName, 'the name of a bucket'),
    prefix: read.matching('GCS_PREFIX', prefix, 'a path of letters, digits, dots, dashes and underscores', ''),
    ...(read.optionalText('GCS_API_ENDPOINT') === undefined
      ? {}
      : { apiEndpoint: read.url('GCS_API_ENDPOINT', ['http:', 'https:']) }),
  };
}

/** The blob store of these settings; it does nothing before its first use. */
export const createBlobStore = (config: BlobStoreConfig): BlobStore =>
  config.kind === 'gcs' ? createGcsBlobStore(config) : createLocalBlobStore(config);
