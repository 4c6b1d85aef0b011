import type { IncomingHttpHeaders } from 'node:http';

export type CorsHeaders = { readonly headers: Readonly<Record<string, string>>; readonly preflight: boolean };

/** Headers that scripts of another origin may read. */
const exposed = [
  'X-Request-Id',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Deprecation',
  'Link',
].join(', ');
/** Headers they may send. Keys are in a header, never in a cookie: credentials stay off. */
const allowedHeaders =
  'Authorization, Content-Type, Accept, Prefer, Idempotency-Key, Last-Event-ID, X-Request-Id, traceparent';
const maxAgeSeconds = '600';

/**
 * Which origins' scripts may use the API (the Fetch standard's CORS). Without origins it is off: no header, and a
 * preflight is an OPTIONS like any other.
 * @param origins scheme and host, lower-case; `*` is every origin
 */
export function createCors(
  origins: readonly string[],
): (method: string | undefined, headers: IncomingHttpHeaders) => CorsHeaders {
  const anyOrigin = origins.includes('*');
  const allowed = new Set(origins);
  return (method, { origin, 'access-control-request-method': wanted }) => {
    if (origins.length === 0) return { headers: {}, preflight: false };
    // Responses differ by origin, even for one that is not allowed: caches must know.
    const vary: Record<string, string> = anyOrigin ? {} : { Vary: 'Origin' };
    if (origin === undefined || !(anyOrigin || allowed.has(origin.toLowerCase())))
      return { headers: vary, preflight: false };
    const own = { ...vary, 'Access-Control-Allow-Origin': anyOrigin ? '*' : origin };
    if (method !== 'OPTIONS' || wanted === undefined)
      return { headers: { ...own, 'Access-Control-Expose-Headers': exposed }, preflight: false };
    return {
      headers: {
        ...own,
        'Access-Control-Allow-Methods': 'GET, HEAD, POST',
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': maxAgeSeconds,
      },
      preflight: true,
    };
  };
}
