import type { ErrorRequestHandler, Response } from 'express';
import { UnavailableError } from './errors.ts';
import { isTemporary } from './fault-class.ts';
import type { Logger } from './logging/logger.ts';

/** Sends `{"error", "details"?}`, the one shape of refusals and faults of internal servers. */
export const fail = (response: Response, status: number, error: string, details?: string): void =>
  void response.status(status).json({ error, ...(details === undefined ? {} : { details }) });

/** A 400 with the first fault that an ajv validator found in the body. */
export const refuse = (
  response: Response,
  { errors }: { readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null },
): void =>
  fail(response, 400, 'invalid request', `body${errors?.[0]?.instancePath ?? ''} ${errors?.[0]?.message ?? ''}`);

/**
 * Responds to a thrown error: 400 or 413 for a body that express refused, 503 with Retry-After for a temporary fault
 * (docs/adr/0020-errors-of-consumers.md), 500 for everything else, so that callers do not retry a defect.
 */
export const answerFault =
  (logger: Logger): ErrorRequestHandler =>
  (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const status: unknown = error instanceof Error ? (error as { status?: unknown }).status : undefined;
    if (status === 413) return fail(response, 413, 'body too large');
    if (typeof status === 'number' && status >= 400 && status < 500) return fail(response, 400, 'invalid request');
    if (!isTemporary(error)) {
      logger.error({ err: error }, 'Query failed');
      return fail(response, 500, 'internal fault');
    }
    logger.warn({ err: error }, 'Query cannot be answered now');
    response.set('Retry-After', '1');
    return fail(response, 503, 'not available now', error instanceof UnavailableError ? error.message : undefined);
  };
