/** Why nothing more was done; what was done before is right, and the command may be run again. */
export class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
  readonly retryable = false;
}
