import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';

export type JsonRequest = {
  /** Its name in errors. */
  readonly service: string;
  /** With the query. */
  readonly path: string;
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  readonly body?: unknown;
  /** Default 5,000 ms. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Statuses whose responses are returned. Default: success. */
  readonly accepts?: (status: number) => boolean;
};

/**
 * Sends a request to another service's internal server.
 * @returns the response; its body is undefined for a 204
 * @throws UnavailableError when the service does not answer in time, or with another status; the signal's reason
 */
export async function requestJson<Body>(
  { url, headers }: InternalAddress,
  { service, path, method, body, timeoutMs = 5_000, signal, accepts = isSuccess }: JsonRequest,
): Promise<{ readonly status: number; readonly body: Body }> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    });
    const { status } = response;
    if (accepts(status)) return { status, body: (status === 204 ? undefined : await response.json()) as Body };
    await response.body?.cancel();
    throw new UnavailableError(`${service} answered ${status}`);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError(`${service} does not answer`, { cause: error });
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
