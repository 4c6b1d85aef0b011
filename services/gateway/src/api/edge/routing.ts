import { HttpError } from '../../errors/http-error.ts';
import type { ApiDocument, Operation } from './document.ts';

export type Route = { readonly operation: Operation; readonly params: Readonly<Record<string, string>> };

/**
 * Finds the operation of a request by the document: 404 for an unknown path, 405 with `Allow` for a wrong method.
 * A literal segment takes precedence over a parameter, so `/stamps/verify` is never read as a stamp's id.
 */
export function createRouter(document: Pick<ApiDocument, 'prefix' | 'operations'>) {
  /** Paths without parameters, as written: most requests. */
  const literal = new Map(
    document.operations
      .filter((one) => !one.segments.some((segment) => segment.startsWith('{')))
      .map((operation) => [
        `${operation.method} ${document.prefix}/${operation.segments.join('/')}`,
        { operation, params: {} },
      ]),
  );
  return (method: string, path: string): Route => {
    const known = literal.get(`${method} ${path}`);
    if (known !== undefined) return known;
    const segments = segmentsOf(document.prefix, path);
    const candidates =
      segments === undefined ? [] : mostLiteral(document.operations.filter((one) => fits(one, segments)));
    if (segments === undefined || candidates.length === 0)
      throw new HttpError(404, 'not found', { details: 'no such path' });
    const wanted = method === 'HEAD' ? 'GET' : method;
    const operation = candidates.find((one) => one.method === wanted);
    if (operation === undefined) {
      const allow = candidates.flatMap((one) => (one.method === 'GET' ? ['GET', 'HEAD'] : [one.method]));
      throw new HttpError(405, 'method not allowed', { headers: { Allow: allow.join(', ') } });
    }
    const params: Record<string, string> = {};
    for (const [i, segment] of operation.segments.entries())
      if (segment.startsWith('{')) params[segment.slice(1, -1)] = segments[i] as string;
    return { operation, params };
  };
}

/** Path and query of a request target, which proxies write in absolute form (RFC 9112, 3.2.2). */
export function splitTarget(target: string): readonly [path: string, query: string] {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = url.indexOf('?');
  return mark < 0 ? [url || '/', ''] : [url.slice(0, mark) || '/', url.slice(mark + 1)];
}

/** Decoded segments below the prefix; one trailing slash is ignored. */
function segmentsOf(prefix: string, path: string): readonly string[] | undefined {
  if (!path.startsWith(`${prefix}/`)) return undefined;
  const below = path.slice(prefix.length + 1).replace(/\/$/, '');
  try {
    return below.split('/').map(decodeURIComponent);
  } catch {
    throw new HttpError(400, 'path: broken percent-encoding');
  }
}

const fits = ({ segments }: Operation, given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, i) => (segment.startsWith('{') ? given[i] !== '' : segment === given[i]));

function mostLiteral(operations: readonly Operation[]): readonly Operation[] {
  const literals = (one: Operation): number => one.segments.filter((segment) => !segment.startsWith('{')).length;
  const most = Math.max(0, ...operations.map(literals));
  return operations.filter((one) => literals(one) === most);
}
