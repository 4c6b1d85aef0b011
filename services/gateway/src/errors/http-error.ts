/** An error response: `{error, details?}` with its status. Not for decisions, which know no HTTP. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly details: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    error: string,
    options: { details?: string; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(error, options.cause === undefined ? {} : { cause: options.cause });
    this.status = status;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** A 503 at the wait limit: the request is accepted, and continues. */
export class PendingError extends HttpError {}

export const pending = (
  error: string,
  { details, headers }: { details?: string; headers?: Readonly<Record<string, string>> },
): PendingError =>
  new PendingError(503, error, {
    ...(details === undefined ? {} : { details }),
    headers: { 'Retry-After': '5', ...headers },
  });

/** The client disconnected before its response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** A 400 naming the invalid part. The name comes from the client, so it is cut. */
export const invalid = (name: string, text: string): HttpError => new HttpError(400, `${name.slice(0, 200)}: ${text}`);

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, 'the request is too large', { details: `at most ${maxBytes} bytes` });

/** A 503 that may be tried again. */
export const unavailable = (
  error: string,
  options: { details?: string; headers?: Readonly<Record<string, string>>; retryAfter?: string; cause?: unknown } = {},
): HttpError =>
  new HttpError(503, error, { ...options, headers: { 'Retry-After': options.retryAfter ?? '1', ...options.headers } });
