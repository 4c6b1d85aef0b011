/** Whether trying again later can succeed: errors of our own say so, all others are taken for faults of the surroundings. */
export function isRetryable(error: unknown): boolean {
  return !(typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === false);
}

/** A fault that trying again cannot mend: the message or the request itself is at fault. */
export class PermanentError extends Error {
  readonly retryable = false;
  override readonly name = 'PermanentError';
}

/** A neighbour is away or busy; the same call may succeed later. */
export class UnavailableError extends Error {
  readonly retryable = true;
  override readonly name = 'UnavailableError';
}

/** Errors of another realm (a worker, a test's) are errors as well, so the form counts and not the class. */
export const isError = (thrown: unknown): thrown is Error =>
  typeof thrown === 'object' && thrown !== null && 'name' in thrown && 'message' in thrown;
