import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';

const timeoutMs = 5_000;

/** Posts a query to another service's internal server. @throws UnavailableError when it has no answer in time; the signal's reason */
export async function lookUp<Body>(
  { url, headers }: InternalAddress,
  query: {
    readonly service: string;
    readonly path: string;
    readonly body: object;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Body> {
  const { service, path, body, signal } = query;
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    });
    if (response.ok) return (await response.json()) as Body;
    await response.body?.cancel();
    throw new UnavailableError(`${service} answered ${response.status}`);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError(`${service} does not answer`, { cause: error });
  }
}
