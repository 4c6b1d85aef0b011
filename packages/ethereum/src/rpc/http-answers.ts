import { RpcUnavailableError } from './errors.ts';

/** Judged by status alone. A 5xx may be from a proxy that has passed the request on. */
export function refusalOf({ status, headers }: Response, host: string): RpcUnavailableError | undefined {
  if (status !== 429 && status < 500) return undefined;
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
  const fault = status === 429 ? 'rate-limited' : 'no-answer';
  const message = `${host} answered HTTP ${status}`;
  return new RpcUnavailableError(message, { fault, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
}

/** Retry-After: seconds, or a date (RFC 9110). */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Statuses by which a provider refuses its customer before any node gets the request. */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 413, 415]);

/** @throws RpcUnavailableError when it is no JSON, or the endpoint's refusal of its customer */
export function parseAnswer(body: Buffer, host: string, status: number): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString('utf8'));
  } catch (error) {
    const fault = refusals.has(status) ? 'refused' : 'no-answer';
    throw new RpcUnavailableError(`${host} answered HTTP ${status} with broken JSON`, { cause: error, fault });
  }
  const isRpc = Array.isArray(answer) || (typeof answer === 'object' && answer !== null && 'jsonrpc' in answer);
  if (!isRpc && refusals.has(status))
    throw new RpcUnavailableError(`${host} answered HTTP ${status}`, { fault: 'refused' });
  return answer;
}
