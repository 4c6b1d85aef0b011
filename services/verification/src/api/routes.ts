import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { fail, type Logger, ofJson, type RouteHandler } from '@indelible/service-runtime';
import { Ajv } from 'ajv';
import type { ErrorRequestHandler, Response } from 'express';
import { CursorError } from '../decisions/receipt-cursor.ts';
import { Address } from '../fields.ts';
import { UploadError } from '../matching/read-upload.ts';
import { readCursors } from '../projections/cursors.ts';
import { listReceipts } from '../use-cases/list-receipts.ts';
import { type LookUpPorts, lookUpCommitments } from '../use-cases/look-up-commitments.ts';
import { signOfLifeMs } from '../use-cases/send-answer.ts';
import { type VerifyPorts, verifyCollection } from '../use-cases/verify-collection.ts';
import { ListReceiptsRequest, LookUpRequest } from './requests.ts';

/** 10,000 CIDs take 690 KB. */
const bodyLimit = '1mb';

const ajv = new Ajv();
const isAddress = ajv.compile<Hex>(Address);

/** The first receipts of CIDs. */
export const lookUpRoute = (ports: LookUpPorts): RouteHandler =>
  ofJson(bodyLimit, ajv.compile<LookUpRequest>(LookUpRequest), async (request, response) =>
    response.json({ receipts: await lookUpCommitments(ports, request) }),
  );

/** All receipts of CIDs or a page, in the public API's fields. */
export const listReceiptsRoute = (ports: LookUpPorts & { readonly logger: Logger }): RouteHandler =>
  ofJson(bodyLimit, ajv.compile<ListReceiptsRequest>(ListReceiptsRequest), async (request, response) => {
    const pages = listReceipts(ports, request);
    const first = await pages.next();
    response.status(200).type('application/json');
    await sent(ports.logger, response, () =>
      pipeline(Readable.from(startingWith(first, pages), { highWaterMark: 1 }), response),
    );
  });

/** Which of an upload's objects are on the chain. */
export const verifyCollectionRoute =
  (ports: VerifyPorts & { readonly logger: Logger }): RouteHandler =>
  async (request, response) => {
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
      await sent(ports.logger, response, () =>
        verifyCollection(ports, { caller, upload: request }, begin, gone.signal),
      );
    } finally {
      clearInterval(signs);
    }
  };

/** How far each chain is projected. */
export const cursorRoute =
  (database: Pick<Database, 'query'>): RouteHandler =>
  async (_request, response) => {
    const cursors = await readCursors(database);
    response.json({
      cursors: [...cursors].map(([chainId, { number, hash, finalized }]) => ({ chainId, number, hash, finalized })),
    });
  };

/** Invalid requests: an unknown cursor, an unreadable upload. */
export const answerRefusal: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  if (error instanceof CursorError) return fail(response, 400, 'invalid request', error.message);
  if (!(error instanceof UploadError)) return next(error);
  return fail(response, error.status, error.status === 413 ? 'body too large' : 'invalid request', error.message);
};

/** A fault within a response ends its connection: no client may take a part for the whole. */
async function sent(logger: Logger, response: Response, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!response.destroyed && !response.headersSent) throw error;
    if (response.destroyed) logger.info({ err: error }, 'Client disconnected during a verification');
    else logger.warn({ err: error }, 'Verification aborted');
    response.destroy();
  }
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
