/** Something that is to be looked at is not there, or is not what the settings say; the same call may succeed later. */
export class AwayError extends Error {
  override readonly name = 'AwayError';
  readonly retryable = true;
}
