import { choice, dependingOn, type Setting } from '@indelible/service-runtime';
import type { BlobStore } from './blob-store.ts';
import { createGcsBlobStore } from './gcs/gcs-blob-store.ts';
import { type GcsConfig, gcsSettings } from './gcs/settings.ts';
import { createLocalBlobStore } from './local/local-blob-store.ts';
import { type LocalConfig, localSettings } from './local/settings.ts';

/** Which blob store a service uses. A new driver is added here, and to `storage_type` of the OpenAPI document. */
export type BlobStoreConfig = LocalConfig | GcsConfig;

type Kind = BlobStoreConfig['kind'];

const settings = { local: localSettings, gcs: gcsSettings } satisfies Record<Kind, Setting<BlobStoreConfig>>;

/** Services that share content share these settings. */
export const blobStoreSettings: Setting<BlobStoreConfig> = dependingOn(
  choice('BLOB_STORE', {
    meaning: 'Where content is kept',
    choices: Object.keys(settings) as Kind[],
    default: 'local',
  }),
  settings,
);

/** The blob store of these settings; it does nothing before its first use. */
export function createBlobStore(config: BlobStoreConfig): BlobStore {
  switch (config.kind) {
    case 'local':
      return createLocalBlobStore(config);
    case 'gcs':
      return createGcsBlobStore(config);
  }
}
