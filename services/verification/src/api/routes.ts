import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { isRetryable, type Logger } from '@indelible/service-runtime';
import { Ajv, type ValidateFunction } from 'ajv';
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { UploadError } from '../matching/read-upload.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';
import { readCursors } from '../projections/cursors.ts';
import { Address } from './fields.ts';
import { CursorError, ListReceiptsRequest, listReceipts } from './list-receipts.ts';
import { LookUpRequest, lookUpCommitments } from './look-up-commitments.ts';
import { signOfLifeMs, type VerifyPorts, verifyCollection } from './verify-collection.ts';

/** 10,000 CIDs take 690 KB. */
const bodyLimit = '1mb';

/** The internal API: queries of the gateway. Its shapes stand in this service's README. */
export function createRoutes(
  ports: VerifyPorts & {
    readonly database: Pick<Database, 'query'>;
    readonly watch: CursorWatch;
    readonly logger: Logger;
  },
): Router {
  const ajv = new Ajv();
  const isLookUpRequest = ajv.compile<LookUpRequest>(LookUpRequest);
  const isListReceiptsRequest = ajv.compile<ListReceiptsRequest>(ListReceiptsRequest);
  const isAddress = ajv.compile<Hex>(Address);
  const router = express.Router();

  router.post('/internal/commitments/lookup', express.json({ limit: bodyLimit }), async (request, response) => {
    const body: unknown = request.body;
    if (!isLookUpRequest(body)) return refuse(response, isLookUpRequest);
    response.json({ receipts: await lookUpCommitments(ports, body) });
  });

  router.post('/internal/stamps/verify', express.json({ limit: bodyLimit }), async (request, response) => {
    const body: unknown = request.body;
    if (!isListReceiptsRequest(body)) return refuse(response, isListReceiptsRequest);
    const pages = listReceipts(ports, body);
    const first = await pages.next();
    response.status(200).type('application/json');
    await sent(response, () => pipeline(Readable.from(startingWith(first, pages), { highWaterMark: 1 }), response));
  });

  router.post('/internal/collections/verify', async (request, response) => {
    if (request.is('application/x-ndjson') === false) return fail(response, 400, 'invalid request', 'content type');
    const caller: unknown = request.query.caller;
    if (!isAddress(caller)) return fail(response, 400, 'invalid request', 'caller');
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the connection has ended')));
    const signs = setInterval(() => {
      if (!response.headersSent) response.writeProcessing();
    }, signOfLifeMs);
    const begin = (): Response => response.status(200).type('application/json');
    try {
      await sent(response, () => verifyCollection(ports, { caller, upload: request }, begin, gone.signal));
    } finally {
      clearInterval(signs);
    }
  });

  /** What goes wrong within an answer ends its connection: nobody may take a part for the whole. */
  async function sent(response: Response, send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!response.destroyed && !response.headersSent) throw error;
      if (response.destroyed) ports.logger.info({ err: error }, 'the client broke off a verification');
      else ports.logger.warn({ err: error }, 'a verification was broken off');
      response.destroy();
    }
  }

  router.get('/internal/cursor', async (_request, response) => {
    const cursors = await readCursors(ports.database);
    response.json({
      cursors: [...cursors].map(([chainId, { number, hash, finalized }]) => ({ chainId, number, hash, finalized })),
    });
  });

  router.use('/internal', (_request: Request, response) => fail(response, 404, 'not found'));
  router.use(answerFault(ports.logger));
  return router;
}

async function* startingWith(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  try {
    if (first.done !== true) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

const answerFault =
  (logger: Logger): ErrorRequestHandler =>
  (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof CursorError) return fail(response, 400, 'invalid request', error.message);
    if (error instanceof UploadError)
      return fail(response, error.status, error.status === 413 ? 'body too large' : 'invalid request', error.message);
    const status: unknown = error instanceof Error ? (error as { status?: unknown }).status : undefined;
    if (status === 413) return fail(response, 413, 'body too large');
    if (typeof status === 'number' && status >= 400 && status < 500) return fail(response, 400, 'invalid request');
    if (!isRetryable(error)) {
      logger.error({ err: error }, 'a query failed');
      return fail(response, 500, 'internal fault');
    }
    logger.warn({ err: error }, 'a query could not be answered now');
    response.set('Retry-After', '1');
    return fail(response, 503, 'not available now', error instanceof Error ? error.message : undefined);
  };

const refuse = (response: Response, { errors }: ValidateFunction): void =>
  fail(response, 400, 'invalid request', `body${errors?.[0]?.instancePath ?? ''} ${errors?.[0]?.message ?? ''}`);

const fail = (response: Response, status: number, error: string, details?: string): void =>
  void response.status(status).json({ error, ...(details === undefined ? {} : { details }) });
