/** A setting of the command is missing or invalid; one line that says what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly retryable = false;
}
