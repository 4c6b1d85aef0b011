import type { Database } from '@indelible/postgres';
import { isRetryable, type Logger } from '@indelible/service-runtime';
import { Ajv } from 'ajv';
import express, { type ErrorRequestHandler, type Response, type Router } from 'express';
import { UploadError } from '../matching/read-upload.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';
import { readCursors } from '../projections/cursors.ts';
import { LookUpRequest, lookUpCommitments, TooManyReceiptsError } from './look-up-commitments.ts';
import { type VerifyPorts, verifyCollection } from './verify-collection.ts';

/** 10,000 CIDs take 690 KB. */
const bodyLimit = '1mb';

/** From an upload's first byte to its answer's last: who sends or reads more slowly than this is cut off. */
const verifyDeadlineMs = 180_000;

/** The internal API: queries of the gateway. Its shapes stand in this service's README. */
export function createRoutes(ports: {
  readonly database: Pick<Database, 'query'>;
  readonly watch: CursorWatch;
  readonly sessions: VerifyPorts['sessions'];
  readonly logger: Logger;
}): Router {
  const isLookUpRequest = new Ajv().compile<LookUpRequest>(LookUpRequest);
  const router = express.Router();

  router.post('/internal/commitments/lookup', express.json({ limit: bodyLimit }), async (request, response) => {
    const body: unknown = request.body;
    if (!isLookUpRequest(body)) {
      const [fault] = isLookUpRequest.errors ?? [];
      return fail(response, 400, 'invalid request', `body${fault?.instancePath ?? ''} ${fault?.message ?? ''}`);
    }
    response.json({ receipts: await lookUpCommitments(ports, body) });
  });

  router.post('/internal/collections/verify', async (request, response) => {
    if (request.is('application/x-ndjson') === false) return fail(response, 400, 'invalid request', 'content type');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const deadline = AbortSignal.timeout(verifyDeadlineMs);
    // Whoever waits for a line or for room in the answer is woken by the end of the connection.
    deadline.addEventListener('abort', () => request.destroy(), { once: true });
    try {
      await verifyCollection(
        ports,
        request,
        () => response.status(200).type('application/json'),
        AbortSignal.any([gone.signal, deadline]),
      );
    } catch (error) {
      if (!gone.signal.aborted && !response.headersSent) throw error;
      ports.logger.warn({ error }, 'a verification was broken off');
      response.destroy();
    }
  });

  router.get('/internal/cursor', async (_request, response) => {
    const cursors = await readCursors(ports.database);
    response.json({
      cursors: [...cursors].map(([chainId, { number, hash, finalized }]) => ({ chainId, number, hash, finalized })),
    });
  });

  router.use('/internal', (_request, response) => fail(response, 404, 'not found'));
  router.use(answerFault(ports.logger));
  return router;
}

const answerFault =
  (logger: Logger): ErrorRequestHandler =>
  (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof TooManyReceiptsError) return fail(response, 413, 'answer too large', error.message);
    if (error instanceof UploadError)
      return fail(response, error.status, error.status === 413 ? 'body too large' : 'invalid request', error.message);
    const status: unknown = error instanceof Error ? (error as { status?: unknown }).status : undefined;
    if (status === 413) return fail(response, 413, 'body too large');
    if (typeof status === 'number' && status >= 400 && status < 500) return fail(response, 400, 'invalid request');
    if (!isRetryable(error)) {
      logger.error({ error }, 'a query failed');
      return fail(response, 500, 'internal fault');
    }
    logger.warn({ error }, 'a query could not be answered now');
    response.set('Retry-After', '1');
    return fail(response, 503, 'not available now', error instanceof Error ? error.message : undefined);
  };

const fail = (response: Response, status: number, error: string, details?: string): void =>
  void response.status(status).json({ error, ...(details === undefined ? {} : { details }) });
