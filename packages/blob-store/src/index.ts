export type { BlobStore, ContentFacts, PromoteOutcome, StagedEntry, StagedWriter } from './blob-store.ts';
export { crc32cOf } from './crc32c.ts';
export {
  BlobStoreUnavailableError,
  InvalidBlobPathError,
  StagedContentMissingError,
  StagedIdTakenError,
} from './errors.ts';
export { createLocalBlobStore } from './local/local-blob-store.ts';
