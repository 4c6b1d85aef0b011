import type { Database } from '@indelible/postgres';
import { isRetryable, type Logger } from '@indelible/service-runtime';
import express, { type ErrorRequestHandler, type Response, type Router } from 'express';
import { uploadOutcome } from '../decisions/upload-outcome.ts';
import { readFile } from '../tables/files.ts';
import { readUpload } from '../tables/uploads.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The internal API. Its shapes stand in this service's README. */
export function createRoutes(ports: { readonly database: Pick<Database, 'query'>; readonly logger: Logger }): Router {
  const router = express.Router();
  router.get('/internal/files/:stampId', async (request, response) => {
    const { stampId } = request.params;
    if (!uuid.test(stampId)) return fail(response, 400, 'invalid request', 'the stamp id is a lower-case UUID');
    const file = await readFile(ports.database, stampId);
    if (file === undefined) return fail(response, 404, 'no file for this stamp');
    response.json(file);
  });
  router.get('/internal/uploads/:requestId', async (request, response) => {
    const { requestId } = request.params;
    if (!uuid.test(requestId)) return fail(response, 400, 'invalid request', 'the request id is a lower-case UUID');
    const upload = await readUpload(ports.database, requestId);
    if (upload === undefined) return fail(response, 404, 'no such upload, or not decided yet');
    response.json(uploadOutcome(upload));
  });
  router.use('/internal', (_request, response) => fail(response, 404, 'not found'));
  router.use(answerFault(ports.logger));
  return router;
}

const answerFault =
  (logger: Logger): ErrorRequestHandler =>
  (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const status: unknown = error instanceof Error ? (error as { status?: unknown }).status : undefined;
    if (typeof status === 'number' && status >= 400 && status < 500) return fail(response, 400, 'invalid request');
    if (!isRetryable(error)) {
      logger.error({ err: error }, 'a query failed');
      return fail(response, 500, 'internal fault');
    }
    logger.warn({ err: error }, 'a query could not be answered now');
    response.set('Retry-After', '1');
    return fail(response, 503, 'not available now');
  };

const fail = (response: Response, status: number, error: string, details?: string): void =>
  void response.status(status).json({ error, ...(details === undefined ? {} : { details }) });
