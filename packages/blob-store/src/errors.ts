/** The store cannot be reached or written to now; the same call may succeed later. */
export class BlobStoreUnavailableError extends Error {
  readonly retryable = true;
  override readonly name = 'BlobStoreUnavailableError';
}

/** The store refuses the request itself: the same call is answered the same way again. */
export class BlobStoreRefusedError extends Error {
  readonly retryable = false;
  override readonly name = 'BlobStoreRefusedError';
}

/** No finished staged content of this id and size is there, nor is it stored already. */
export class StagedContentMissingError extends Error {
  readonly retryable = false;
  override readonly name = 'StagedContentMissingError';
}

/** Content is or was being staged under this id. */
export class StagedIdTakenError extends Error {
  readonly retryable = false;
  override readonly name = 'StagedIdTakenError';
}

/** The path or staged id is none that the store could hold, or leads out of it. */
export class InvalidBlobPathError extends Error {
  readonly retryable = false;
  override readonly name = 'InvalidBlobPathError';
}
