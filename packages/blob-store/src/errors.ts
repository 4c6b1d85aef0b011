/** The store cannot be reached or written to now; the same call may succeed later. */
export class BlobStoreUnavailableError extends Error {
  readonly retryable = true;
  override readonly name = 'BlobStoreUnavailableError';
}

/** The store refuses the request permanently: retrying does not help. */
export class BlobStoreRefusedError extends Error {
  readonly retryable = false;
  override readonly name = 'BlobStoreRefusedError';
}

/** Finished content of this id and size is neither staged nor stored. */
export class StagedContentMissingError extends Error {
  readonly retryable = false;
  override readonly name = 'StagedContentMissingError';
}

/** Content is or was being staged under this id. */
export class StagedIdTakenError extends Error {
  readonly retryable = false;
  override readonly name = 'StagedIdTakenError';
}

/** The path or staged id is invalid, or leads out of the store. */
export class InvalidBlobPathError extends Error {
  readonly retryable = false;
  override readonly name = 'InvalidBlobPathError';
}
