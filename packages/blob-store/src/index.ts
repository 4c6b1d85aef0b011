export type { BlobStore, ContentFacts, PromoteOutcome, StagedEntry, StagedWriter } from './blob-store.ts';
export { type BlobStoreConfig, blobStoreSettings, createBlobStore } from './config.ts';
export { crc32cOf } from './crc32c.ts';
export {
  BlobStoreRefusedError,
  BlobStoreUnavailableError,
  InvalidBlobPathError,
  StagedContentMissingError,
  StagedIdTakenError,
} from './errors.ts';
export { createGcsBlobStore, type GcsOptions } from './gcs/gcs-blob-store.ts';
export { createLocalBlobStore } from './local/local-blob-store.ts';
export { timeOperations } from './time-operations.ts';
