import { within } from '@indelible/service-runtime';
import { BlobStoreRefusedError, BlobStoreUnavailableError } from '../errors.ts';

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined;

/** The HTTP status that GCS answered with, wherever the client library put it; or undefined. */
export function statusOf(error: unknown): number | undefined {
  const places = [fieldOf(error, 'code'), fieldOf(error, 'status'), fieldOf(fieldOf(error, 'response'), 'status')];
  return places.map(Number).find((status) => Number.isInteger(status) && status >= 400 && status <= 599);
}

/** A short word for a log: a status or a code such as ECONNREFUSED, never an address or content. */
function kindOf(error: unknown): string {
  const code = statusOf(error) ?? fieldOf(error, 'code') ?? fieldOf(error, 'name');
  return typeof code === 'number' || (typeof code === 'string' && /^\w{1,60}$/.test(code)) ? String(code) : 'unknown';
}

/** Statuses that a retry does not change. */
const permanent = new Set([400, 411, 413, 414]);

/**
 * The fault as this package's. Missing rights, buckets and credentials are retryable: an operator fixes them, and until
 * then no content may be given up. The client's own error is not kept as the cause: it may contain an upload session's
 * address, which grants writing.
 */
export function translate(what: string, error: unknown): unknown {
  if (typeof fieldOf(error, 'retryable') === 'boolean') return error;
  const status = statusOf(error);
  const text = `${what}: ${kindOf(error)}`;
  return status !== undefined && permanent.has(status)
    ? new BlobStoreRefusedError(text)
    : new BlobStoreUnavailableError(text);
}

/** Runs an operation on the bucket; the client's errors come out as this package's. */
export async function translated<Result>(what: string, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw translate(what, error);
  }
}

/** The answer, or undefined when GCS answers with this status. */
export async function unless<Result>(status: number, operation: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation();
  } catch (error) {
    if (statusOf(error) === status) return undefined;
    throw error;
  }
}

/** The operation's answer, or a retryable fault when it takes longer; `onLate` then cleans up. */
export const withinTime = <Result>(ms: number, operation: Promise<Result>, onLate?: () => void): Promise<Result> =>
  within(ms, operation, () => {
    onLate?.();
    return new BlobStoreUnavailableError(`the bucket did not respond within ${ms} ms`);
  });
