/** Whether a later retry can succeed. Our own errors say so; all others are assumed to come from a dependency. */
export function isRetryable(error: unknown): boolean {
  return !(typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === false);
}

/** A permanent error: the message or the request is invalid, and a retry cannot succeed. */
export class PermanentError extends Error {
  readonly retryable = false;
  override readonly name = 'PermanentError';
}

/** A server is unavailable or busy; the same call may succeed later. */
export class UnavailableError extends Error {
  readonly retryable = true;
  override readonly name = 'UnavailableError';
}

/** Accepts errors of other realms (a worker, a test), so the form counts, not the class. */
export const isError = (thrown: unknown): thrown is Error =>
  typeof thrown === 'object' && thrown !== null && 'name' in thrown && 'message' in thrown;
