/** What the command was told of its surroundings is missing or does not fit; one line that says what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly retryable = false;
}
