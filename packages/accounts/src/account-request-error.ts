/** The request cannot be carried out. The message is written for the client. */
export class AccountRequestError extends Error {
  override readonly name = 'AccountRequestError';
  readonly retryable = false;
  readonly code: 'unknown-account' | 'unknown-key' | 'invalid';

  constructor(code: 'unknown-account' | 'unknown-key' | 'invalid', message: string) {
    super(message);
    this.code = code;
  }
}
