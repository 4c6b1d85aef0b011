/** Why the restore stopped; completed steps are correct, and the command may be run again. */
export class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
  readonly retryable = false;
}
