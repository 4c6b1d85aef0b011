/**
 * Something in the environment is missing or broken. `message` is one line for the terminal, `remedy` what to do about
 * it, `lastLines` the end of the log of the process that failed. `retryable` says whether the same call may succeed
 * without a change.
 */
export class InfrastructureError extends Error {
  readonly remedy: string;
  readonly lastLines: readonly string[];
  readonly retryable: boolean;

  constructor(
    message: string,
    remedy: string,
    options: { lastLines?: readonly string[]; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'InfrastructureError';
    this.remedy = remedy;
    this.lastLines = options.lastLines ?? [];
    this.retryable = options.retryable ?? false;
  }
}

/** The error as lines for a terminal: what, what to do, then the end of the log, if there is one. */
export function describeError(error: unknown): string[] {
  if (!(error instanceof InfrastructureError)) return [error instanceof Error ? error.message : String(error)];
  return [`${error.message} — ${error.remedy}`, ...error.lastLines.map((line) => `  | ${line}`)];
}
