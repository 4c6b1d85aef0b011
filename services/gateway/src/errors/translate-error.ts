import { HttpError, unavailable } from './http-error.ts';

/** Network errors: another service is unavailable; the request is not invalid. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** SQLSTATE classes of a Postgres that is unavailable, full, stopping or in conflict: 08, 40, 53, 57, 58. */
const sqlState = /^(08|40|53|57|58)[0-9A-Z]{3}$/;
/** Errors of node-postgres without a code. */
const connectionText =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|not queryable|client has encountered a connection error/i;

/** Whether another service or server failed, so that a retry may succeed. Checks the error's form, not its class. */
export function isNeighbourFault(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, retryable, message, cause } = error as Record<string, unknown>;
  if (retryable === true) return true;
  if (typeof code === 'string' && (networkCodes.has(code) || sqlState.test(code))) return true;
  return (typeof message === 'string' && connectionText.test(message)) || isNeighbourFault(cause);
}

/** The response to an error: never a 500 when another service failed. */
export function translateError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isNeighbourFault(error)) return unavailable('a part of the service is unavailable; try again', { cause: error });
  return new HttpError(500, 'internal error', { cause: error });
}
